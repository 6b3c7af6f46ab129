import Foundation
import Synchronization

/// A gate at which calls of a ``FaultyBackend`` wait while it is held.
final class Gate: Sendable {
  private struct State {
    var isHeld = false
    var waitingCount = 0
    var didTimeOut = false
  }

  private let state = Mutex(State())

  /// The number of calls that wait now.
  var waitingCount: Int { state.withLock { $0.waitingCount } }
  /// Whether a call waited so long that it continued by itself, because no thread could open the gate.
  var didTimeOut: Bool { state.withLock { $0.didTimeOut } }

  func hold() { state.withLock { $0.isHeld = true } }
  func letGo() { state.withLock { $0.isHeld = false } }

  /// Waits while the gate is held, for at most 15 minutes.
  func pass() {
    guard state.withLock({ $0.isHeld }) else { return }
    state.withLock { $0.waitingCount += 1 }
    // In long tests, the thread that opens the gate may have to wait for minutes before it can run.
    let deadline = Date(timeIntervalSinceNow: 900)
    while state.withLock({ $0.isHeld }), Date() < deadline { Thread.sleep(forTimeInterval: 0.000_5) }
    state.withLock { state in
      state.waitingCount -= 1
      if state.isHeld { state.didTimeOut = true }
    }
  }
}
