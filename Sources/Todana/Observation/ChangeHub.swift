internal import Synchronization

/// Hands the changes of each commit to those who listen, whichever store of the backend made it.
///
/// A commit is noted once, in a list that all listeners read at their own pace, so what it costs the store that made it
/// does not grow with them; each is woken at most once until it has read what there is. Who falls too far behind
/// is told that anything may have changed.
final class ChangeHub: Sendable {
  typealias ListenerID = UInt64

  private struct Listener {
    /// The next entry that it has not read.
    var position: Int
    /// Wakes it where it waits.
    var waiting: CheckedContinuation<Void, Never>?
  }

  private struct Contents {
    var entries: [CommitChanges] = []
    /// The position of the first entry.
    var firstPosition = 0
    var changeCount = 0
    var listeners: [ListenerID: Listener] = [:]
    var nextListener: ListenerID = 1
    /// Whether no store of the backend is open any more.
    var isEnded = false

    var endPosition: Int { firstPosition + entries.count }
  }

  private let contents = Mutex(Contents())
  /// Whether anybody listens, for those who commit.
  private let listenerCount = Atomic<Int>(0)

  /// Changed objects that are kept for those who are behind.
  private static let changeLimit = 1 << 20

  var hasListeners: Bool { listenerCount.load(ordering: .relaxed) > 0 }

  var isEnded: Bool { contents.withLock { $0.isEnded } }

  /// Wakes everybody, to look whether there is still something to wait for.
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

  /// Begins to listen: everything that is published from now on.
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
        // Who has read everything is not concerned; the others begin anew.
        contents.firstPosition += contents.entries.count
        contents.entries = []
        contents.changeCount = 0
      }
      return Self.takeWaiting(&contents)
    }
    for continuation in woken { continuation.resume() }
  }

  /// What was published since the listener's last look.
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

  /// Waits until there is something to take, the listener has left, or the task is cancelled.
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

  /// Lets go of what everybody has read.
  private func trim(_ contents: inout Contents) {
    let least = contents.listeners.values.map(\.position).min() ?? contents.endPosition
    let count = min(max(0, least - contents.firstPosition), contents.entries.count)
    // Not for each commit, as the others move up.
    guard count > 64 || count == contents.entries.count else { return }
    for entry in contents.entries.prefix(count) {
      contents.changeCount -= entry.inserted.count + entry.updated.count + entry.deleted.count
    }
    contents.entries.removeFirst(count)
    contents.firstPosition += count
  }
}
