internal import CThreads
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Threads that the library reuses: for work in the background, for blocking calls of tasks, and to help callers.
///
/// Dispatch gives a process at most 255 threads, and waits for ever if the system has none. A pool adds threads without
/// a limit of its own, and tells a caller if there is none, so that the caller does the work itself. An idle thread
/// ends after some seconds. Thread-safe.
final class ThreadPool: Sendable {
  static let shared = ThreadPool()

  /// The number of threads that are worth using for parts of one piece of work.
  static let usefulCount = min(ProcessInfo.processInfo.activeProcessorCount, 8)

  /// The number of helping threads at the same time, of all callers: more would only share the processors.
  private static let helperLimit = 4 * ProcessInfo.processInfo.activeProcessorCount
  private static let idleSeconds = 5.0

  /// A thread of the pool, with its next piece of work.
  private final class PooledThread: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>
    private let isWanted = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) { self.work = Mutex(work) }

    /// Gives an idle thread its next work.
    func use(for work: @escaping @Sendable () -> Void) {
      self.work.withLock { $0 = work }
      isWanted.signal()
    }

    /// Waits until the thread has work; returns false if it has none until then.
    func waitForWork(until end: DispatchTime) -> Bool { isWanted.wait(timeout: end) == .success }

    /// Runs the work, and releases it with everything that it captures.
    func runWork() { work.withLock { $0.take() }?() }
  }

  private struct State {
    /// The threads that wait for work; the last one became idle last.
    var idle: [PooledThread] = []
    var helperCount = 0
    /// The process of the threads; a child has none of them.
    var process = ProcessMark()
  }

  private let state = Mutex(State())

  /// Runs a closure on another thread.
  ///
  /// - Returns: Whether it will run; false if the system has no thread.
  func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    let idle = state.withLock { state -> PooledThread? in
      if state.process.isInChild { state = State() }
      return state.idle.popLast()
    }
    guard let idle else { return start(PooledThread(work)) }
    idle.use(for: work)
    return true
  }

  /// Runs a closure on another thread, if few others help callers at the moment.
  ///
  /// - Returns: Whether it will run. If not, the caller does the work itself.
  func help(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isWelcome = state.withLock { state in
      if state.process.isInChild { state = State() }
      guard state.helperCount < Self.helperLimit else { return false }
      state.helperCount += 1
      return true
    }
    guard isWelcome else { return false }
    let isStarted = run { [self] in
      work()
      state.withLock { $0.helperCount -= 1 }
    }
    if !isStarted { state.withLock { $0.helperCount -= 1 } }
    return isStarted
  }

  // MARK: A thread

  private func start(_ thread: PooledThread) -> Bool {
    let run = unsafe Unmanaged.passRetained(ThreadBody { [self] in runThread(thread) })
    let isStarted = unsafe tdt_start_thread(
      { context in
        // `start` has passed a retained object.
        guard let context = unsafe context else { return }
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
      }, run.toOpaque())
    if !isStarted { unsafe run.release() }
    return isStarted
  }

  private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private func runThread(_ thread: PooledThread) {
    repeat { thread.runWork() } while waitForWork(thread)
  }

  /// Waits for further work; returns false if there was none for some seconds.
  private func waitForWork(_ thread: PooledThread) -> Bool {
    state.withLock { $0.idle.append(thread) }
    if thread.waitForWork(until: .now() + Self.idleSeconds) { return true }
    let isUnneeded = state.withLock { state in
      guard let place = state.idle.firstIndex(where: { $0 === thread }) else { return false }
      state.idle.remove(at: place)
      return true
    }
    // A caller may have chosen the thread at the same time, and is about to give it work.
    return !isUnneeded && thread.waitForWork(until: .distantFuture)
  }
}
