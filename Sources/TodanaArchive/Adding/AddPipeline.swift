/// The pipeline of an `add` from the reading thread through the compressing threads to the storing thread.
///
/// Results are stored in the order in which their jobs were read. The memory of all jobs is limited: the reading thread
/// waits until there is room.
final class AddPipeline: Sendable {
  /// Thrown by ``submit(_:)`` after the pipeline was stopped: another thread failed, or the caller cancelled.
  struct Stopped: Error {}

  private static let byteLimit = 12 << 20

  private let jobs = WorkQueue<AddJob>()
  private let results = OrderedResults<AddResult>(byteLimit: byteLimit)

  // MARK: Reading

  /// Submits work as the next job, after waiting until there is room.
  func submit(_ work: AddJob.Work) throws(Stopped) {
    let byteCount = work.byteCount
    guard let number = results.start(byteCount: byteCount),
      jobs.add(AddJob(number: number, work: work, byteCount: byteCount))
    else { throw Stopped() }
  }

  /// Declares that no more jobs follow.
  func complete() {
    jobs.complete()
    results.complete()
  }

  /// Whether the pipeline was stopped; the reading thread checks this while it waits for input.
  var hasStopped: Bool { jobs.isStopped }

  // MARK: Compressing

  /// Removes and returns the next job, waiting for it if necessary; nil at the end.
  func take() -> AddJob? { jobs.take() }

  func finish(_ job: AddJob, _ result: AddResult) {
    results.finish(result, of: job.number, byteCount: result.byteCount, after: job.byteCount)
  }

  // MARK: Storing

  /// Waits for the result of the next job and returns it, or ``OrderedResults/Delivery/nothing`` after a time limit.
  ///
  /// - Throws: The error with which another thread has failed.
  func next(within seconds: Double) throws -> OrderedResults<AddResult>.Delivery { try results.next(within: seconds) }

  /// Stops all threads, after an error or when the work is done.
  func stop(_ error: (any Error)? = nil) {
    results.stop(error)
    jobs.stop()
  }
}
