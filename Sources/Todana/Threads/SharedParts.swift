internal import Dispatch
internal import Synchronization

extension ThreadPool {
  /// Calls a closure once for each part of a piece of work, on this thread and on others that have nothing else to do.
  ///
  /// Returns when all parts are done. Without other threads, this thread does all of them.
  func forEachPart(of count: Int, _ body: @Sendable (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
      let parts = SharedParts(count, body)
      for _ in 1..<max(count, 1) where !help({ parts.work() }) { break }
      parts.work()
      parts.close()
    }
  }
}

/// The parts of a piece of work, which several threads take.
///
/// A thread that comes after ``close()`` does nothing, so that the caller waits only for threads that are working.
/// Thread-safe.
private final class SharedParts: Sendable {
  private struct State {
    var body: (@Sendable (Int) -> Void)?
    var next = 0
  }

  private let count: Int
  private let state: Mutex<State>
  private let working = DispatchGroup()

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    state = Mutex(State(body: body))
  }

  /// Does parts until none is left.
  func work() {
    // The closure was released when the part counts as done: the caller must then have the only reference.
    while doNext() { working.leave() }
  }

  private func doNext() -> Bool {
    guard let (part, body) = take() else { return false }
    body(part)
    return true
  }

  private func take() -> (Int, @Sendable (Int) -> Void)? {
    state.withLock { state in
      guard state.next < count, let body = state.body else { return nil }
      working.enter()
      defer { state.next += 1 }
      return (state.next, body)
    }
  }

  /// Waits for the parts that are being done, and releases the closure.
  func close() {
    working.wait()
    state.withLock { $0.body = nil }
  }
}
