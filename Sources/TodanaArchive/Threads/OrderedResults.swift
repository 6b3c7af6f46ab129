internal import Foundation

/// Results of jobs that threads finish in any order, delivered in the order in which the jobs were started.
///
/// The jobs and results that are not delivered yet take a bounded number of bytes: starting another job waits for room.
final class OrderedResults<Result: Sendable>: @unchecked Sendable {
  enum Delivery {
    case result(Result)
    /// No result came in the given time.
    case nothing
    case end
  }

  /// Guards all properties below.
  private let condition = NSCondition()
  private let byteLimit: Int
  /// The results that are not delivered yet, by the number of their job.
  private var results: [Int: (result: Result, byteCount: Int)] = [:]
  private var startedCount = 0
  private var deliveredCount = 0
  private var byteCount = 0
  private var isComplete = false
  private var hasStopped = false
  private var failure: (any Error)?

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Starts a job, after waiting for room.
  ///
  /// A job of any size is started if there is no other.
  ///
  /// - Parameter count: The bytes that the job takes until it is finished.
  /// - Returns: The number of the job; nil after ``stop(_:)``.
  func start(byteCount count: Int) -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while !hasStopped, byteCount > 0, byteCount + count > byteLimit { condition.wait() }
    if hasStopped { return nil }
    byteCount += count
    defer { startedCount += 1 }
    return startedCount
  }

  /// Adds the result of a job.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - number: The number of the job.
  ///   - resultByteCount: The bytes that the result takes.
  ///   - jobByteCount: The bytes that the job took, and that are free now.
  func finish(_ result: Result, of number: Int, byteCount resultByteCount: Int, after jobByteCount: Int) {
    condition.lock()
    byteCount += resultByteCount - jobByteCount
    results[number] = (result, resultByteCount)
    condition.broadcast()
    condition.unlock()
  }

  /// Declares that no more jobs will be started.
  func complete() {
    condition.lock()
    isComplete = true
    condition.broadcast()
    condition.unlock()
  }

  /// Returns the result of the next job.
  ///
  /// - Parameter seconds: The longest time to wait for the result.
  /// - Returns: The result; ``Delivery/end`` after the last.
  /// - Throws: The error that ``stop(_:)`` was called with.
  func next(within seconds: Double) throws -> Delivery {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      if let failure { throw failure }
      if let (result, count) = results.removeValue(forKey: deliveredCount) {
        deliveredCount += 1
        byteCount -= count
        condition.broadcast()
        return .result(result)
      }
      if isComplete, deliveredCount == startedCount { return .end }
      if !condition.wait(until: end) { return .nothing }
    }
  }

  /// Ends all waiting for room; the first error is kept for ``next(within:)``.
  func stop(_ error: (any Error)? = nil) {
    condition.lock()
    hasStopped = true
    if failure == nil { failure = error }
    condition.broadcast()
    condition.unlock()
  }
}
