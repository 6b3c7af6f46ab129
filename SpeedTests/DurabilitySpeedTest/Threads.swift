import Foundation
import Synchronization

/// Threads of the system, which do not share a limited pool.
final class Threads: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  init(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    for index in 0..<count {
      group.enter()
      Thread.detachNewThread { [self] in
        defer { group.leave() }
        do { try body(index) } catch { failure.withLock { $0 = error } }
      }
    }
  }

  /// Waits until all threads have ended, then throws the error of one of them, if any.
  func join() throws {
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

/// Runs a closure on several threads at once, and returns all results concatenated.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> [Double]) throws -> [Double] {
  let results = Results()
  try Threads(count) { index in
    let result = try body(index)
    results.values.withLock { $0 += result }
  }.join()
  return results.values.withLock { $0 }
}

private final class Results: Sendable {
  let values = Mutex<[Double]>([])
}
