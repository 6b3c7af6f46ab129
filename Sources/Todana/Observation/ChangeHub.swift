internal import Synchronization

/// A hub that passes the changes of each commit to the listeners that observe them.
///
/// Any store of the backend may have made the commit. Changes are published under topics, and each listener follows the
/// topics of its scope. A commit costs the committing store nothing for topics without listeners. For the others, it
/// adds one entry to a list that all listeners of the topic read at their own pace, and has another thread wake those
/// that wait. Its cost therefore does not grow with the number of listeners. A listener that falls too far behind only
/// learns that anything may have changed.
final class ChangeHub: Sendable {
  typealias ListenerID = UInt64

  enum Topic: Hashable {
    case everything
    case objects(KeyspaceID)
    case namedBuffers
  }

  /// The changes of a commit, with the place of the commit among all that were published.
  private struct Entry {
    let serial: UInt64
    let changes: CommitChanges

    var changeCount: Int { changes.inserted.count + changes.updated.count + changes.deleted.count }
  }

  /// The entries of one topic, and its listeners.
  private struct Channel {
    var entries: [Entry] = []
    /// The position of the first entry.
    var firstPosition = 0
    var changeCount = 0
    /// For each listener, the position of the next entry that it has not read.
    var positions: [ListenerID: Int] = [:]
    /// The listeners that wait for the next entry.
    var waiting: [Waiter] = []
    /// The number of times that listeners took entries since unneeded entries were last removed.
    var takeCount = 0

    var endPosition: Int { firstPosition + entries.count }

    mutating func append(_ entry: Entry) {
      entries.append(entry)
      changeCount += entry.changeCount
      if changeCount > ChangeHub.changeLimit {
        // Listeners that have read all entries are not affected. The others receive `.unknown`.
        firstPosition += entries.count
        entries = []
        changeCount = 0
      }
    }

    /// Returns the entries that a listener has not read; nil if some of them no longer exist.
    mutating func take(_ id: ListenerID) -> ArraySlice<Entry>? {
      guard let position = positions[id] else { return [] }
      positions[id] = endPosition
      guard position >= firstPosition else { return nil }
      let taken = entries[(position - firstPosition)...]
      takeCount += 1
      // The search for unneeded entries takes time for each listener, so it follows as many takes.
      if takeCount >= positions.count { trim() }
      return taken
    }

    /// Removes the entries that all listeners have read.
    mutating func trim() {
      takeCount = 0
      let least = positions.values.min() ?? endPosition
      let count = min(max(0, least - firstPosition), entries.count)
      // Removing some entries moves all later ones, so few are not removed.
      guard count > 64 || count == entries.count else { return }
      for entry in entries.prefix(count) { changeCount -= entry.changeCount }
      entries.removeFirst(count)
      firstPosition += count
    }
  }

  private struct Listener {
    var topics: [Topic]
    /// The listener's task while it waits.
    var waiter: Waiter?
  }

  private struct Contents {
    var channels: [Topic: Channel] = [:]
    var listeners: [ListenerID: Listener] = [:]
    var nextListener: ListenerID = 1
    var nextSerial: UInt64 = 1
    /// Whether the last store of the backend was closed.
    var isEnded = false
  }

  private let contents = Mutex(Contents())
  /// The number of listeners, which committing stores check without taking the lock.
  private let joined = Atomic<Int>(0)

  /// The largest number of changed objects that are kept for listeners that have not read them yet.
  private static let changeLimit = 1 << 20

  /// The largest number of listeners that the committing thread wakes itself, because that is faster than asking
  /// another thread.
  private static let directWakeLimit = 2

  var listenerCount: Int { joined.load(ordering: .relaxed) }

  var hasListeners: Bool { listenerCount > 0 }

  var isEnded: Bool { contents.withLock { $0.isEnded } }

  // MARK: Listeners

  /// Adds a listener, which receives the changes in its scope that are published from now on.
  func join(_ scope: ObservedScope) -> ListenerID {
    joined.add(1, ordering: .relaxed)
    return contents.withLock { contents in
      let id = contents.nextListener
      contents.nextListener += 1
      contents.listeners[id] = Listener(topics: [])
      Self.follow(scope.topics, id, &contents)
      return id
    }
  }

  /// Adds a listener that receives the same changes as another one from now on, including those that the other one has
  /// not taken.
  func join(beside other: ListenerID) -> ListenerID {
    joined.add(1, ordering: .relaxed)
    return contents.withLock { contents in
      let id = contents.nextListener
      contents.nextListener += 1
      let topics = contents.listeners[other]?.topics ?? []
      contents.listeners[id] = Listener(topics: topics)
      for topic in topics {
        let position = contents.channels[topic]?.positions[other]
        contents.channels[topic]?.positions[id] = position
      }
      return id
    }
  }

  /// Changes the scope of a listener; topics that stay in it lose no changes.
  func follow(_ scope: ObservedScope, _ id: ListenerID) {
    contents.withLock { Self.follow(scope.topics, id, &$0) }
  }

  private static func follow(_ topics: [Topic], _ id: ListenerID, _ contents: inout Contents) {
    guard let former = contents.listeners[id]?.topics else { return }
    contents.listeners[id]?.topics = topics
    for topic in former where !topics.contains(topic) { leave(topic, id, &contents) }
    for topic in topics where contents.channels[topic]?.positions[id] == nil {
      let end = contents.channels[topic]?.endPosition ?? 0
      contents.channels[topic, default: Channel()].positions[id] = end
    }
  }

  private static func leave(_ topic: Topic, _ id: ListenerID, _ contents: inout Contents) {
    contents.channels[topic]?.positions[id] = nil
    if contents.channels[topic]?.positions.isEmpty == true { contents.channels[topic] = nil }
  }

  func leave(_ id: ListenerID) {
    let waiter = contents.withLock { contents -> Waiter? in
      guard let listener = contents.listeners.removeValue(forKey: id) else { return nil }
      joined.subtract(1, ordering: .relaxed)
      for topic in listener.topics { Self.leave(topic, id, &contents) }
      return listener.waiter
    }
    waiter?.wake()
  }

  // MARK: Publishing

  /// Returns the part of a commit that someone observes.
  ///
  /// - Parameters:
  ///   - classes: The classes whose objects it changed.
  ///   - hasNamedBuffers: Whether it changed named buffers.
  /// - Returns: The topics with listeners.
  func observedPart(of classes: [KeyspaceID], hasNamedBuffers: Bool) -> ObservedScope {
    contents.withLock { contents in
      if contents.channels[.everything] != nil { return .whole }
      return ObservedScope(
        classes: Set(classes.filter { contents.channels[.objects($0)] != nil }),
        includesNamedBuffers: hasNamedBuffers && contents.channels[.namedBuffers] != nil)
    }
  }

  /// Publishes the changes of a commit to the listeners whose topics they belong to.
  func publish(_ changes: CommitChanges) {
    let woken = contents.withLock { contents -> [[Waiter]] in
      let topics =
        changes.isUnknown
        ? Array(contents.channels.keys)
        : [.everything] + changes.classIDs.map { .objects($0) } + (changes.namedBuffers.isEmpty ? [] : [.namedBuffers])
      var woken: [[Waiter]] = []
      let entry = Entry(serial: contents.nextSerial, changes: changes)
      contents.nextSerial += 1
      for topic in topics where contents.channels[topic] != nil {
        contents.channels[topic]?.append(entry)
        if let waiting = contents.channels[topic]?.waiting, !waiting.isEmpty {
          contents.channels[topic]?.waiting = []
          woken.append(waiting)
        }
      }
      return woken
    }
    Self.wake(woken)
  }

  /// Wakes all waiting listeners, so that they check whether to continue waiting.
  func wake(ending: Bool) {
    let woken = contents.withLock { contents -> [[Waiter]] in
      if ending { contents.isEnded = true }
      var woken: [[Waiter]] = []
      for topic in contents.channels.keys {
        if let waiting = contents.channels[topic]?.waiting { woken.append(waiting) }
        contents.channels[topic]?.waiting = []
      }
      return woken
    }
    Self.wake(woken)
  }

  private static func wake(_ waiters: [[Waiter]]) {
    if waiters.isEmpty { return }
    let isLong = waiters.map(\.count).reduce(0, +) > directWakeLimit
    if isLong, ThreadPool.shared.run({ for waiter in waiters.joined() { waiter.wake() } }) { return }
    for waiter in waiters.joined() { waiter.wake() }
  }

  // MARK: Taking changes

  /// Returns the changes that were published since the listener's last call.
  func take(_ id: ListenerID) -> [CommitChanges] {
    contents.withLock { contents in
      guard let topics = contents.listeners[id]?.topics else { return [] }
      var taken: [Entry] = []
      var isBehind = false
      for topic in topics {
        guard let entries = contents.channels[topic]?.take(id) else {
          isBehind = true
          continue
        }
        taken += entries
      }
      if isBehind { return [.unknown] }
      if topics.count > 1 {
        // A commit may have been published under several topics.
        taken.sort { $0.serial < $1.serial }
        var last: UInt64 = 0
        taken = taken.filter { entry in
          defer { last = entry.serial }
          return entry.serial != last
        }
      }
      return taken.map(\.changes)
    }
  }

  /// Waits until there are changes to take, the listener has left, the last store was closed, or the task is cancelled.
  nonisolated(nonsending) func wait(_ id: ListenerID) async {
    let waiter = Waiter()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard waiter.hold(continuation) else { return continuation.resume() }
        let isReady = contents.withLock { contents in
          guard let listener = contents.listeners[id], !contents.isEnded, !Task.isCancelled else { return true }
          let isUpToDate = listener.topics.allSatisfy { topic in
            guard let channel = contents.channels[topic] else { return false }
            return channel.positions[id] == channel.endPosition
          }
          guard isUpToDate else { return true }
          contents.listeners[id]?.waiter = waiter
          for topic in listener.topics {
            // A listener of several topics is woken by one of them, and its former waiters stay with the others.
            contents.channels[topic]?.waiting.removeAll(where: \.isDone, above: 64)
            contents.channels[topic]?.waiting.append(waiter)
          }
          return false
        }
        if isReady { waiter.wake() }
      }
    } onCancel: {
      waiter.wake()
    }
  }
}

/// A task that waits for changes.
private final class Waiter: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, Never>)
    case done
  }

  private let state = Mutex(State.new)

  /// Keeps the continuation of the task; false if it was woken before.
  func hold(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      if case .done = state { return false }
      state = .waiting(continuation)
      return true
    }
  }

  var isDone: Bool {
    state.withLock { state in
      if case .done = state { return true }
      return false
    }
  }

  /// Resumes the task, once.
  func wake() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .done }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }
}

extension [Waiter] {
  /// Removes elements if there are many, at most once for each doubling of their number.
  fileprivate mutating func removeAll(where isUnneeded: (Waiter) -> Bool, above count: Int) {
    if self.count >= count, self.count == capacity { removeAll(where: isUnneeded) }
  }
}
