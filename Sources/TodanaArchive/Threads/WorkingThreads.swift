internal import Foundation

/// Threads that work for one call, which waits for them.
final class WorkingThreads: Sendable {
  private let group = DispatchGroup()

  func start(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group] in
      body()
      group.leave()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  func wait() { group.wait() }

  /// Whether they have ended in that time.
  func wait(within seconds: Double) -> Bool { group.wait(timeout: .now() + seconds) == .success }
}
