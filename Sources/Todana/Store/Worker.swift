internal import Dispatch

/// Runs a call that waits for the disk on another thread, so that neither the caller's actor nor a thread of the
/// cooperative pool is occupied meanwhile.
func onWorker<Result: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
    // A queue of its own has a thread beyond those that tasks share; a global one shares theirs.
    DispatchQueue(label: "todana.worker").async {
      do throws(Failure) {
        continuation.resume(returning: .success(try body()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }
  return try outcome.get()
}
