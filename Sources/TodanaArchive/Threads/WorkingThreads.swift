internal import Dispatch
internal import Glibc
internal import Synchronization

/// Threads that work for one call, which waits for them.
///
/// Waiting joins the threads, so that no thread runs thread-local destructors while the process exits. Otherwise
/// libcrypto's destructor would free memory that libcrypto's exit handler frees, too.
final class WorkingThreads: Sendable {
  /// Counts running threads, for waits with a time limit: POSIX has no portable join with one.
  private let group = DispatchGroup()
  private let running = Mutex<[Handle]>([])

  /// A thread that any thread may join; `pthread_t` is a pointer, and not sendable, on some systems.
  private struct Handle: @unchecked Sendable {
    let thread: pthread_t
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static let stackSize = 1 << 20

  /// Starts a thread.
  ///
  /// - Throws: ``ArchiveError/Code/noThread``.
  func start(_ body: @escaping @Sendable () -> Void) throws {
    group.enter()
    let body = unsafe Unmanaged.passRetained(
      Body { [group] in
        body()
        group.leave()
      })
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        // `start` has passed a retained body.
        if let argument = unsafe argument { unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      unsafe body.release()
      group.leave()
      throw ArchiveError(.noThread, "The system cannot create a thread: \(unsafe String(cString: strerror(result))).")
    }
    let handle = Handle(thread: thread)
    running.withLock { $0.append(handle) }
  }

  /// Waits until all threads have ended; does nothing if called again.
  func wait() {
    let threads = running.withLock { running in
      defer { running = [] }
      return running
    }
    for handle in threads { pthread_join(handle.thread, nil) }
  }

  /// Waits as ``wait()`` does, but at most some seconds; returns whether all threads have ended.
  func wait(within seconds: Double) -> Bool {
    guard group.wait(timeout: .now() + seconds) == .success else { return false }
    wait()
    return true
  }
}
