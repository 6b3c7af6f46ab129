internal import CStorageEngine
import Synchronization

/// An open `tdn_cabinet` and the readers on it, none of which is freed during a call.
///
/// Every call passes the gate, which ``close()`` shuts. Afterwards no thread is inside any of the C objects, and they
/// can be freed in their order: loaders, scans, snapshots, the cabinet.
///
/// In a child of the process that opened the cabinet, only reading is allowed. Nothing is freed there: that would wait
/// for threads and locks that only the parent has.
@safe
final class CabinetHandle: Sendable {
  /// A pointer to a C object that is safe to call from any thread.
  @safe
  struct Pointer: @unchecked Sendable, Hashable {
    let raw: OpaquePointer

    static func == (lhs: Pointer, rhs: Pointer) -> Bool { unsafe lhs.raw == rhs.raw }
    func hash(into hasher: inout Hasher) { unsafe hasher.combine(raw) }
  }

  private struct Readers {
    var snapshots = SmallMap<Pointer, Void>()
    var scans = SmallMap<Pointer, Void>()
    var loaders = SmallMap<Pointer, Void>()
  }

  private let cabinet: Pointer
  private let gate = CallGate()
  private let readers = Mutex(Readers())
  private let isClosed = Mutex(false)
  private let process = ProcessMark()

  /// Takes ownership of an open cabinet.
  init(_ cabinet: OpaquePointer) { unsafe self.cabinet = Pointer(raw: cabinet) }

  deinit { try? close() }

  /// Whether ``close()`` is waiting for running calls, or has finished.
  var isClosing: Bool { gate.isShut }

  /// Calls `body` with the cabinet and memory for an error, and throws that error if `body` returns false.
  ///
  /// - Throws: ``BackendError/Code/usedAfterFork`` in a child of the process that opened the cabinet.
  @inline(always)
  func call(
    whenClosed closedError: @autoclosure () -> BackendError = .closed,
    _ body: (OpaquePointer, UnsafeMutablePointer<tdn_error>) -> Bool
  ) throws(BackendError) {
    if process.isInChild { throw .usedAfterFork }
    guard gate.enter() else { throw closedError() }
    defer { gate.leave() }
    if let error = unsafe failure({ unsafe body(cabinet.raw, $0) }) { throw error }
  }

  /// Calls `body`, which only reads, as ``call(whenClosed:_:)`` does.
  ///
  /// - Throws: Also ``BackendError/Code/usedAfterFork`` in a child, if the parent has changed the files since the fork.
  @inline(always)
  func read(
    whenClosed closedError: @autoclosure () -> BackendError = .closed,
    _ body: (OpaquePointer, UnsafeMutablePointer<tdn_error>) -> Bool
  ) throws(BackendError) {
    if process.isInChild { return try unsafe readInChild(whenClosed: closedError(), body) }
    guard gate.enter() else { throw closedError() }
    defer { gate.leave() }
    if let error = unsafe failure({ unsafe body(cabinet.raw, $0) }) { throw error }
  }

  @inline(never)
  private func readInChild(
    whenClosed closedError: @autoclosure () -> BackendError,
    _ body: (OpaquePointer, UnsafeMutablePointer<tdn_error>) -> Bool
  ) throws(BackendError) {
    guard gate.enter() else { throw closedError() }
    defer { gate.leave() }
    // The files may change at any time. What was read, errors included, counts only if they had not changed afterwards.
    if let error = unsafe failure({ unsafe tdn_check_after_fork(cabinet.raw, $0) }) { throw error }
    let error = unsafe failure { unsafe body(cabinet.raw, $0) }
    if let error = unsafe failure({ unsafe tdn_check_after_fork(cabinet.raw, $0) }) { throw error }
    if let error { throw error }
  }

  /// Waits for running calls, ends open snapshots and frees the cabinet; calling it again does nothing.
  ///
  /// In a child, lets only the lock of the directory go.
  func close() throws(BackendError) {
    if process.isInChild {
      gate.shutWithoutWaiting()
      return unsafe tdn_abandon(cabinet.raw)
    }
    let error: BackendError? = isClosed.withLock { isClosed in
      guard !isClosed else { return nil }
      isClosed = true
      gate.shut()
      readers.withLock { readers in
        for loader in readers.loaders.keys { unsafe tdn_loader_close(loader.raw) }
        for scan in readers.scans.keys { unsafe tdn_scan_close(scan.raw) }
        for snapshot in readers.snapshots.keys { unsafe tdn_snapshot_close(snapshot.raw) }
        readers = Readers()
      }
      return unsafe failure { unsafe tdn_close(cabinet.raw, $0) }
    }
    if let error { throw error }
  }

  /// Calls `body`, and returns its error; nil if it returned true.
  ///
  /// The error's memory is not cleared first, as only a failure fills it.
  @inline(always)
  private func failure(_ body: (UnsafeMutablePointer<tdn_error>) -> Bool) -> BackendError? {
    unsafe withUnsafeTemporaryAllocation(of: tdn_error.self, capacity: 1) { buffer in
      // A buffer of one element has a base address.
      guard let error = buffer.baseAddress else { return BackendError(.noMemory, "There is not enough stack space.") }
      return unsafe body(error) ? nil : BackendError(error)
    }
  }
}

// MARK: Snapshots and scans

extension CabinetHandle {
  func openSnapshot() throws(BackendError) -> (Pointer, CommitNumber) {
    var opened: (Pointer, CommitNumber)?
    try unsafe read { cabinet, error in
      guard let raw = unsafe tdn_snapshot_open(cabinet, error) else { return false }
      let snapshot = unsafe Pointer(raw: raw)
      // Registered inside the gate: `close()` waits for this call, and then finds the snapshot.
      readers.withLock { $0.snapshots[snapshot] = () }
      opened = unsafe (snapshot, tdn_snapshot_commit_number(raw))
      return true
    }
    guard let opened else { throw .closed }
    return opened
  }

  /// Opens a scan of a snapshot with `open`, and registers it.
  func openScan(
    _ open: (UnsafeMutablePointer<tdn_error>) -> OpaquePointer?
  ) throws(BackendError) -> Pointer {
    var opened: Pointer?
    try unsafe read(whenClosed: .snapshotEnded) { _, error in
      guard let raw = unsafe open(error) else { return false }
      let scan = unsafe Pointer(raw: raw)
      readers.withLock { $0.scans[scan] = () }
      opened = scan
      return true
    }
    guard let opened else { throw .snapshotEnded }
    return opened
  }

  /// Frees a snapshot, unless ``close()`` has freed it or will.
  func closeSnapshot(_ snapshot: Pointer) {
    guard !process.isInChild, gate.enter() else { return }
    defer { gate.leave() }
    if readers.withLock({ $0.snapshots.remove(snapshot) }) { unsafe tdn_snapshot_close(snapshot.raw) }
  }

  /// Registers a loader that was opened inside ``call(whenClosed:_:)``, so that ``close()`` frees it.
  func keep(_ loader: Pointer) -> Pointer {
    readers.withLock { $0.loaders[loader] = () }
    return loader
  }

  /// Frees a loader, unless ``close()`` has freed it or will.
  func closeLoader(_ loader: Pointer) {
    guard !process.isInChild, gate.enter() else { return }
    defer { gate.leave() }
    if readers.withLock({ $0.loaders.remove(loader) }) { unsafe tdn_loader_close(loader.raw) }
  }

  /// Frees a scan, unless ``close()`` has freed it or will.
  func closeScan(_ scan: Pointer) {
    guard !process.isInChild, gate.enter() else { return }
    defer { gate.leave() }
    if readers.withLock({ $0.scans.remove(scan) }) { unsafe tdn_scan_close(scan.raw) }
  }
}

extension BackendError {
  static var closed: BackendError {
    BackendError(.closed, "The store was closed; open it again to use it.")
  }

  static var snapshotEnded: BackendError {
    BackendError(.snapshotEnded, "The store was closed while this snapshot was open; take a new one.")
  }

  static var interrupted: BackendError {
    BackendError(.interrupted, "The store was closed, which ended the backup.")
  }
}
