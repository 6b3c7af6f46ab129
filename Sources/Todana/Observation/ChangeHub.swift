internal import Synchronization

/// A hub that passes the changes of each commit to all listeners, regardless of which store of the backend made it.
///
/// A commit is noted once, in a list that all listeners read at their own pace. The cost for the committing store
/// therefore does not grow with their number. Each listener is woken at most once until it has read all entries. A
/// listener that falls too far behind only learns that anything may have changed.
final class ChangeHub: Sendable {
  typealias ListenerID = UInt64

  private struct Listener {
    /// The position of the next entry that the listener has not read.
    var position: Int
    /// The continuation that wakes the listener; nil if it is not waiting.
    var waiting: CheckedContinuation<Void, Never>?
  }

  private struct Contents {
    var entries: [CommitChanges] = []
    /// The position of the first entry.
    var firstPosition = 0
    var changeCount = 0
    var listeners: [ListenerID: Listener] = [:]
    var nextListener: ListenerID = 1
    /// Whether the last store of the backend was closed.
    var isEnded = false

    var endPosition: Int { firstPosition + entries.count }
  }

  private let contents = Mutex(Contents())
  /// The number of listeners, which committing stores check without taking the lock.
  private let listenerCount = Atomic<Int>(0)

  /// The largest number of changed objects that are kept for listeners that have not read them yet.
  private static let changeLimit = 1 << 20

  var hasListeners: Bool { listenerCount.load(ordering: .relaxed) > 0 }

  var isEnded: Bool { contents.withLock { $0.isEnded } }

  /// Wakes all waiting listeners, so that they check whether to continue waiting.
  func wake(ending: Bool) {
    let woken = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      if ending { contents.isEnded = true }
      return Self.takeWaiting(&contents)
    }
    for continuation in woken { continuation.resume() }
  }

  private static func takeWaiting(_ contents: inout Contents) -> [CheckedContinuation<Void, Never>] {
    var woken: [CheckedContinuation<Void, Never>] = []
    for id in contents.listeners.keys {
      if let waiting = contents.listeners[id]?.waiting.take() { woken.append(waiting) }
    }
    return woken
  }

  /// Adds a listener, which receives everything that is published from now on.
  func join() -> ListenerID {
    listenerCount.add(1, ordering: .relaxed)
    return contents.withLock { contents in
      let id = contents.nextListener
      contents.nextListener += 1
      contents.listeners[id] = Listener(position: contents.endPosition)
      return id
    }
  }

  func leave(_ id: ListenerID) {
    let waiting = contents.withLock { contents in
      let listener = contents.listeners.removeValue(forKey: id)
      if listener != nil { listenerCount.subtract(1, ordering: .relaxed) }
      trim(&contents)
      return listener?.waiting
    }
    waiting?.resume()
  }

  func publish(_ changes: CommitChanges) {
    let woken = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      guard !contents.listeners.isEmpty else { return [] }
      contents.entries.append(changes)
      contents.changeCount += changes.inserted.count + changes.updated.count + changes.deleted.count
      if contents.changeCount > Self.changeLimit {
        // Listeners that have read all entries are not affected. The others receive `.unknown`.
        contents.firstPosition += contents.entries.count
        contents.entries = []
        contents.changeCount = 0
      }
      return Self.takeWaiting(&contents)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns the changes that were published since the listener's last call.
  func take(_ id: ListenerID) -> [CommitChanges] {
    contents.withLock { contents in
      guard let position = contents.listeners[id]?.position else { return [] }
      let end = contents.endPosition
      contents.listeners[id]?.position = end
      guard position >= contents.firstPosition else { return [.unknown] }
      let taken = Array(contents.entries[(position - contents.firstPosition)...])
      trim(&contents)
      return taken
    }
  }

  /// Waits until there are changes to take, the listener has left, the last store was closed, or the task is cancelled.
  nonisolated(nonsending) func wait(_ id: ListenerID) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = contents.withLock { contents in
          guard let listener = contents.listeners[id], listener.position == contents.endPosition,
            !Task.isCancelled, !contents.isEnded
          else { return true }
          contents.listeners[id]?.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiting = contents.withLock { $0.listeners[id]?.waiting.take() }
      waiting?.resume()
    }
  }

  /// Removes the entries that all listeners have read.
  private func trim(_ contents: inout Contents) {
    let least = contents.listeners.values.map(\.position).min() ?? contents.endPosition
    let count = min(max(0, least - contents.firstPosition), contents.entries.count)
    // Entries are not removed at each commit, because removing some moves all later ones.
    guard count > 64 || count == contents.entries.count else { return }
    for entry in contents.entries.prefix(count) {
      contents.changeCount -= entry.inserted.count + entry.updated.count + entry.deleted.count
    }
    contents.entries.removeFirst(count)
    contents.firstPosition += count
  }
}
