/// The way of an `add` from the reading thread through the compressing threads to the storing thread.
///
/// Results are stored in the order in which their jobs were read. The bytes on the way are bounded: the reading thread
/// waits for room.
final class AddPipeline: Sendable {
  /// Thrown by ``submit(_:)`` after the pipeline was stopped: another thread failed, or the caller cancelled.
  struct Stopped: Error {}

  private static let byteLimit = 12 << 20

  private let jobs = WorkQueue<AddJob>()
  private let results = OrderedResults<AddResult>(byteLimit: byteLimit)

  // MARK: Reading

  /// Submits work as the next job, after waiting for room.
  func submit(_ work: AddJob.Work) throws(Stopped) {
    let byteCount = work.byteCount
    guard let number = results.start(byteCount: byteCount),
      jobs.add(AddJob(number: number, work: work, byteCount: byteCount))
    else { throw Stopped() }
  }

  /// Says that there are no more jobs.
  func complete() {
    jobs.complete()
    results.complete()
  }

  /// Whether the pipeline was stopped; the reading thread asks while it waits for anything else.
  var hasStopped: Bool { jobs.isStopped }

  // MARK: Compressing

  /// Takes the next job; returns nil when there are no more.
  func take() -> AddJob? { jobs.take() }

  func finish(_ job: AddJob, _ result: AddResult) {
    results.finish(result, of: job.number, byteCount: result.byteCount, after: job.byteCount)
  }

  // MARK: Storing

  /// Returns the result of the next job, or nothing if it does not come in time.
  ///
  /// - Throws: The error that another thread has failed with.
  func next(within seconds: Double) throws -> OrderedResults<AddResult>.Delivery { try results.next(within: seconds) }

  /// Ends the work of all threads.
  func stop(_ error: (any Error)? = nil) {
    results.stop(error)
    jobs.stop()
  }
}
