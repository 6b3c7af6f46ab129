internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization

/// A worker that runs the background jobs of a session's stores, one after another, on a thread of its own.
///
/// Each job gets its own store, in addition to the session's stores. The worker ends when the session's last store
/// leaves, which waits for the running job. A job therefore calls ``checkForEnd()`` between its steps.
///
/// A caller that needs the result of such work immediately does the work itself, after pausing the worker
/// (``pause()``).
final class BackgroundWorker: Sendable {
  struct Job: Sendable {
    /// The work and its class, such as `building indexes of Song`.
    ///
    /// No second job of the same name is added while one waits.
    let name: String
    let seed: WorkerSeed
    let work: @Sendable (Store) throws -> Void
  }

  private struct State {
    var waiting: [Job] = []
    /// The jobs that run after another backend, usually of another process, has committed.
    var awaitingOthers: [Job] = []
    /// Whether a thread is taking jobs, or is about to start.
    var isDraining = false
    /// The thread that has the turn: the worker's while it runs a job, or a caller's.
    var owner: ObjectIdentifier?
    /// The semaphores of threads that wait until no thread has the turn.
    var waiters: [DispatchSemaphore] = []
    /// Whether the owner is the worker itself.
    var isRunningJob = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  // MARK: Jobs

  /// Adds a job, which runs when all earlier jobs are done; does nothing if the session has ended.
  func add(_ job: Job) {
    let isFirst = state.withLock { state in
      guard !state.hasEnded, !state.waiting.contains(where: { $0.name == job.name }) else { return false }
      state.waiting.append(job)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { startDraining() }
  }

  /// Adds a job that runs after the next commit of another backend (``addAwaitingJobs()``).
  func addWhenOthersCommit(_ job: Job) {
    state.withLock { state in
      guard !state.hasEnded, !state.awaitingOthers.contains(where: { $0.name == job.name }) else { return }
      state.awaitingOthers.append(job)
    }
  }

  /// Adds the jobs that waited for a commit of another backend; called after such a commit.
  func addAwaitingJobs() {
    let jobs = state.withLock { state in
      let jobs = state.awaitingOthers
      state.awaitingOthers = []
      return jobs
    }
    for job in jobs { add(job) }
  }

  private func startDraining() {
    let isStarted = ThreadPool.shared.run { [self] in
      while let job = takeJob() {
        run(job)
        giveTurn()
      }
    }
    // If there is no thread, the jobs wait until the next one is added.
    if !isStarted { state.withLock { $0.isDraining = false } }
  }

  /// Takes the turn and the first job; returns nil if no job is left.
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
      // The next session continues the work.
    } catch {
      job.seed.configuration.logger?.warning("Background work failed (\(job.name)): \(error)")
    }
  }

  // MARK: The end

  /// Throws ``StoreError/Code/closed`` if the session has ended; jobs call it between their steps.
  func checkForEnd() throws(StoreError) {
    if state.withLock({ $0.hasEnded }) { throw StoreError(.closed, "The last store of the backend was closed.") }
  }

  /// Removes the waiting jobs, and returns when no job is running.
  ///
  /// If a job itself calls it, by closing the session's last store, it returns immediately.
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

  /// Waits until no job is running, and keeps jobs from starting until ``resume()``, so that the caller can do
  /// background work itself.
  ///
  /// - Throws: ``StoreError/Code/reentrant`` if it is called from a job, or by a thread that has already paused the
  ///   worker.
  func pause() throws(StoreError) {
    guard state.withLock({ $0.owner }) != Self.currentThread else {
      throw StoreError(.reentrant, "Indexes are being built; progress must not build them.")
    }
    takeTurn { _ in true }
  }

  /// Allows jobs to run again.
  func resume() { giveTurn() }

  /// Waits until no thread has the turn, and takes it if the closure returns a value.
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
