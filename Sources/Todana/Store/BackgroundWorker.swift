internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization

/// Does what the stores of a session leave to it: one job after another, on a thread of its own.
///
/// Each job gets a store of its own beside those of the session. The worker ends with the last of these, which waits for
/// the job that is running: so a job calls ``checkForEnd()`` between its steps. Who needs the result of such work at once
/// does it itself, while the worker pauses (``pause()``).
final class BackgroundWorker: Sendable {
  struct Job: Sendable {
    /// The work and the class that it is for, such as `building indexes of Song`.
    ///
    /// While a job waits, no other of its name is added.
    let name: String
    let seed: WorkerSeed
    let work: @Sendable (Store) throws -> Void
  }

  private struct State {
    var waiting: [Job] = []
    /// Jobs that are to run when others have committed.
    var awaitingOthers: [Job] = []
    /// Whether a thread takes jobs, or is about to.
    var isDraining = false
    /// The thread that has the turn: that of the worker while it runs a job, or that of a caller.
    var owner: ObjectIdentifier?
    /// Those who wait until nobody has the turn.
    var waiters: [DispatchSemaphore] = []
    /// Whether the owner is the worker itself.
    var isRunningJob = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  // MARK: Jobs

  /// Runs a job as soon as those before it are done; not at all if the session has ended.
  func add(_ job: Job) {
    let isFirst = state.withLock { state in
      guard !state.hasEnded, !state.waiting.contains(where: { $0.name == job.name }) else { return false }
      state.waiting.append(job)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { startDraining() }
  }

  /// Runs a job after the next hint that others have committed (``addAwaitingJobs()``).
  func addWhenOthersCommit(_ job: Job) {
    state.withLock { state in
      guard !state.hasEnded, !state.awaitingOthers.contains(where: { $0.name == job.name }) else { return }
      state.awaitingOthers.append(job)
    }
  }

  /// Others have committed: runs the jobs that waited for it.
  func addAwaitingJobs() {
    let jobs = state.withLock { state in
      let jobs = state.awaitingOthers
      state.awaitingOthers = []
      return jobs
    }
    for job in jobs { add(job) }
  }

  private func startDraining() {
    DispatchQueue(label: "todana.background", qos: .utility).async { [self] in
      while let job = takeJob() {
        run(job)
        giveTurn()
      }
    }
  }

  /// Takes the turn and the first job; nil if there is none any more.
  private func takeJob() -> Job? {
    takeTurn { state in
      guard !state.waiting.isEmpty else {
        state.isDraining = false
        return nil
      }
      state.isRunningJob = true
      return state.waiting.removeFirst()
    }
  }

  private func run(_ job: Job) {
    do {
      try job.work(try Store(beside: job.seed))
    } catch let error as StoreError where error.code == .closed {
      // The next session goes on.
    } catch {
      job.seed.configuration.logger?.warning("Work in the background failed, \(job.name): \(error)")
    }
  }

  // MARK: The end

  /// Throws ``StoreError/Code/closed`` where the session has ended; jobs call it between their steps.
  func checkForEnd() throws(StoreError) {
    if state.withLock({ $0.hasEnded }) { throw StoreError(.closed, "The last store of the backend was closed.") }
  }

  /// Takes back the jobs that wait, and returns when none is running.
  ///
  /// A job itself may call it, by closing what it should not: then it returns at once.
  func end() {
    let thread = Self.currentThread
    state.withLock { state in
      state.hasEnded = true
      state.waiting = []
      state.awaitingOthers = []
    }
    while let semaphore = state.withLock({ state -> DispatchSemaphore? in
      guard state.isRunningJob, state.owner != thread else { return nil }
      return Self.addWaiter(&state)
    }) {
      semaphore.wait()
    }
  }

  // MARK: The turn

  /// Waits until no job is running, and lets none begin until ``resume()``: the caller does such work itself.
  ///
  /// - Throws: ``StoreError/Code/reentrant`` where a job, or a caller who has paused the worker, calls it again.
  func pause() throws(StoreError) {
    guard state.withLock({ $0.owner }) != Self.currentThread else {
      throw StoreError(.reentrant, "Indexes are being built; progress must not build them.")
    }
    takeTurn { _ in true }
  }

  /// Lets jobs run again.
  func resume() { giveTurn() }

  /// Waits until nobody has the turn, and takes it if the closure returns anything.
  @discardableResult
  private func takeTurn<Result: Sendable>(_ prepare: (inout State) -> Result?) -> Result? {
    let thread = Self.currentThread
    while true {
      let (result, semaphore) = state.withLock { state -> (Result?, DispatchSemaphore?) in
        if state.owner != nil { return (nil, Self.addWaiter(&state)) }
        let result = prepare(&state)
        if result != nil { state.owner = thread }
        return (result, nil)
      }
      guard let semaphore else { return result }
      semaphore.wait()
    }
  }

  private func giveTurn() {
    let waiters = state.withLock { state in
      (state.owner, state.isRunningJob) = (nil, false)
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  private static func addWaiter(_ state: inout State) -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    state.waiters.append(semaphore)
    return semaphore
  }

  private static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
