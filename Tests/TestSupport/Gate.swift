import Foundation
import Synchronization

/// Where calls of a ``FaultyBackend`` wait as long as they are held.
final class Gate: Sendable {
  private struct State {
    var isHeld = false
    var waitingCount = 0
    var didTimeOut = false
  }

  private let state = Mutex(State())

  /// Calls that wait now.
  var waitingCount: Int { state.withLock { $0.waitingCount } }
  /// Whether a call waited so long that it went on by itself: nobody could let it go.
  var didTimeOut: Bool { state.withLock { $0.didTimeOut } }

  func hold() { state.withLock { $0.isHeld = true } }
  func letGo() { state.withLock { $0.isHeld = false } }

  /// Waits until calls are not held, but not for ever.
  func pass() {
    guard state.withLock({ $0.isHeld }) else { return }
    state.withLock { $0.waitingCount += 1 }
    // Long tests may keep whoever is to let go from running for minutes.
    let deadline = Date(timeIntervalSinceNow: 900)
    while state.withLock({ $0.isHeld }), Date() < deadline { Thread.sleep(forTimeInterval: 0.000_5) }
    state.withLock { state in
      state.waitingCount -= 1
      if state.isHeld { state.didTimeOut = true }
    }
  }
}
