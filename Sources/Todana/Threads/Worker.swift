/// Runs a blocking call on another thread.
///
/// While it waits for the disk, neither the caller's actor nor a thread of the cooperative pool is occupied. If the
/// system has no other thread, the call blocks this one.
func onWorker<Result: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
    let work = Work(body)
    if !ThreadPool.shared.run({ continuation.resume(returning: work.run()) }) {
      continuation.resume(returning: work.run())
    }
  }
  return try outcome.get()
}

/// A call that releases its closure, with everything the closure captures, before its result is passed on.
///
/// A scan's snapshot, for example, must not outlive the wait for the scan.
///
/// Safe to share: the creator passes it to one thread, which runs it once.
private final class Work<Result: Sendable, Failure: Error>: @unchecked Sendable {
  private var body: (@Sendable () throws(Failure) -> Result)?

  init(_ body: @escaping @Sendable () throws(Failure) -> Result) { self.body = body }

  func run() -> Swift.Result<Result, Failure> {
    guard let body = body.take() else { preconditionFailure("work is done once") }
    do throws(Failure) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
}
