internal import Foundation

/// Hands jobs from the thread that reads to those that compress, and results on to the one that stores, in order.
///
/// The bytes that are on their way are bounded: who reads waits.
final class AddPipeline: @unchecked Sendable {
  /// One was to go on though another thread has failed, or nobody wants the result any more.
  struct Stopped: Error {}

  static let byteLimit = 12 << 20

  /// Guards all that follows.
  private let condition = NSCondition()
  /// In order; what was taken is nil.
  private var jobs: [AddJob?] = []
  private var firstJob = 0
  private var results: [Int: (result: AddResult, byteCount: Int)] = [:]
  private var submitted = 0
  private var delivered = 0
  private var byteCount = 0
  private var isComplete = false
  private var isStopped = false
  private var failure: (any Error)?

  // MARK: Reading

  /// Waits until there is room; the number of the job.
  func submit(_ work: AddJob.Work) throws(Stopped) {
    condition.lock()
    defer { condition.unlock() }
    // Only one thread reads, so the number is free also after a wait.
    let job = AddJob(number: submitted, work: work)
    while !isStopped, byteCount > 0, byteCount + job.byteCount > Self.byteLimit { condition.wait() }
    if isStopped { throw Stopped() }
    submitted += 1
    byteCount += job.byteCount
    jobs.append(job)
    condition.broadcast()
  }

  /// There are no more jobs.
  func complete() {
    condition.lock()
    isComplete = true
    condition.broadcast()
    condition.unlock()
  }

  /// Whether nobody wants more: what waits for anything else has to ask.
  var hasStopped: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isStopped
  }

  // MARK: Working

  /// The next job; nil when there are no more.
  func take() -> AddJob? {
    condition.lock()
    defer { condition.unlock() }
    while !isStopped, firstJob == jobs.count, !isComplete { condition.wait() }
    guard !isStopped, firstJob < jobs.count else { return nil }
    // Its memory goes with whoever works on it.
    let job = jobs[firstJob].take()
    firstJob += 1
    if firstJob == jobs.count || firstJob >= 64 {
      jobs.removeFirst(firstJob)
      firstJob = 0
    }
    return job
  }

  func finish(_ job: AddJob, _ result: AddResult) {
    condition.lock()
    // What was read is not in memory any more.
    let resultByteCount = result.byteCount
    byteCount += resultByteCount - job.byteCount
    results[job.number] = (result, resultByteCount)
    condition.broadcast()
    condition.unlock()
  }

  // MARK: Storing

  enum Delivery {
    case result(AddResult)
    /// Nothing came in the time that was given.
    case nothing
    case end
  }

  /// The result of the next job.
  ///
  /// - Throws: What another thread has failed with.
  func next(within seconds: Double) throws -> Delivery {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      if let failure { throw failure }
      if let (result, count) = results.removeValue(forKey: delivered) {
        delivered += 1
        byteCount -= count
        condition.broadcast()
        return .result(result)
      }
      if isComplete, delivered == submitted { return .end }
      if !condition.wait(until: end) { return .nothing }
    }
  }

  /// Ends the work of all threads.
  func stop(_ error: (any Error)? = nil) {
    condition.lock()
    isStopped = true
    if failure == nil { failure = error }
    condition.broadcast()
    condition.unlock()
  }
}
