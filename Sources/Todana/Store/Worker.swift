internal import Dispatch
import Synchronization

/// Runs a call that waits for the disk on another thread, so that neither the caller's actor nor a thread of the
/// cooperative pool is occupied meanwhile.
func onWorker<Result: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  let handover = Handover()
  let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
    // A queue of its own has a thread beyond those that tasks share; a global one shares theirs.
    DispatchQueue(label: "todana.worker").async {
      let outcome: Swift.Result<Result, Failure>
      do throws(Failure) {
        outcome = .success(try body())
      } catch {
        outcome = .failure(error)
      }
      handover.isDone.store(true, ordering: .releasing)
      continuation.resume(returning: outcome)
    }
  }
  assert(handover.isDone.load(ordering: .acquiring), "a worker hands over after its work")
  return try outcome.get()
}

/// Orders the worker's memory accesses before the caller's in a way that the thread sanitizer sees.
///
/// Resuming a continuation orders them too, but within the runtime, where it does not look.
private final class Handover: Sendable {
  let isDone = Atomic<Bool>(false)
}
