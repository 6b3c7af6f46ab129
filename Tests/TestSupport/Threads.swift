import Foundation
import Synchronization

/// Runs `body` on `count` threads at once, each with its number, waits for all and rethrows the first error.
///
/// These are real threads, because tasks share as many threads as there are cores: a task that waits for another could
/// keep it from running.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let outcome = Outcome()
  let group = DispatchGroup()
  let threads = (0..<count).map { number in
    group.enter()
    return Thread {
      defer { group.leave() }
      do {
        try body(number)
      } catch {
        outcome.firstError.withLock { $0 = $0 ?? error }
      }
    }
  }
  for thread in threads { thread.start() }
  group.wait()
  if let error = outcome.firstError.withLock({ $0 }) { throw error }
}

private final class Outcome: Sendable {
  let firstError = Mutex<(any Error)?>(nil)
}
