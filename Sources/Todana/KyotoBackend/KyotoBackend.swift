internal import CStorageEngine
import Synchronization

/// The default ``StoreBackend``: a directory of Kyoto Cabinet files that commit together.
///
/// Each class has a hash file of its own, each index a B+ tree. One redo log makes a batch over all of them durable at
/// once. The same code runs in memory and on temporary files.
///
/// ```swift
/// let backend = try KyotoBackend(.directory("Music.todana"))
/// let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
/// ```
///
/// Any thread may call any method at any time, including ``close()``, which waits for running calls; later calls throw
/// ``BackendError/Code/closed``.
public final class KyotoBackend: StoreBackend, EngineOperations {
  public let storeID: StoreID
  /// The place of the files.
  public let location: Location
  let cabinet: CabinetHandle
  /// The keys, set when the store is opened or its encryption begins.
  private let knownKeys = AtomicLazyReference<KeyRing>()
  /// Whether there are keys, which is quicker to read.
  private let hasKeys = Atomic(false)
  private let latestReport: Mutex<OpenReport>
  private let repairedClasses: Set<String>

  /// Opens the store at a location, or creates one there.
  ///
  /// - Parameters:
  ///   - location: The place of the files.
  ///   - secret: The secret that opens an encrypted store, or encrypts a new one; nil for a plain store. The ``Store``s
  ///     of the backend seal its records: values that are put into it directly are stored as they are.
  ///   - options: Access, waiting, limits.
  /// - Throws: ``BackendError``, for example ``BackendError/Code/inUse`` if another opener holds the directory, or
  ///   ``BackendError/Code/wrongKey``. After an error, no new files are left.
  public init(
    _ location: Location, secret: StoreSecret? = nil, options: Options = Options()
  ) throws(BackendError) {
    Self.checkLayouts()
    self.location = location
    guard !location.path.utf8.contains(0) else {
      throw BackendError(.invalidArgument, "The path of the store contains a NUL character.")
    }
    var report = tdn_open_report()
    unsafe cabinet = CabinetHandle(try Self.open(location, secret: secret, options: options, report: &report))
    storeID = StoreID(report.store_id)
    latestReport = Mutex(OpenReport(report))
    limits = BackendLimits(
      valueByteCount: (1 << 30) + 64, batchChangeCount: Int(Int32.max),
      batchByteCount: max(options.commitLimitByteCount, (1 << 30) + 2048))
    repairedClasses = options.repairsFlippedBits ? options.repairedClasses : []
    try learnKeys()
    try repairRecords()
  }

  private func repairRecords() throws(BackendError) {
    if repairedClasses.isEmpty { return }
    for keyspace in try keyspaces() where keyspace.kind == .rows && repairedClasses.contains(keyspace.displayName) {
      try unsafe cabinet.call { unsafe tdn_repair_records($0, keyspace.id.rawValue, $1) }
    }
  }

  /// The keys of the store; nil if it has been plain since it was opened.
  ///
  /// During a migration ``RecordChunk/isSealed`` shows for each chunk whether its records are sealed.
  public var keyRing: KeyRing? { hasKeys.load(ordering: .acquiring) ? knownKeys.load() : nil }

  public var sealsNamesAndTrees: Bool { true }

  /// Loads the keys of the store, if it has any.
  func learnKeys() throws(BackendError) {
    try unsafe cabinet.call { cabinet, error in
      if let raw = unsafe tdn_key_ring(cabinet, error) {
        _ = unsafe knownKeys.storeIfNil(KeyRing(raw))
        hasKeys.store(true, ordering: .releasing)
      }
      return unsafe error.pointee.code == TDN_OK.rawValue
    }
  }

  public var operations: (any EngineOperations)? { self }

  public var keyManagement: (any KeyManagement)? { keyRing == nil ? nil : KyotoKeys(self) }

  /// The report of the latest ``init(_:secret:options:)`` or ``reopen()``.
  public var openReport: OpenReport { latestReport.withLock { $0 } }

  /// The limits: 1,000 bytes for keys and names, 1 GiB and 64 bytes for values.
  ///
  /// A batch may have 2,147,483,647 changes. Its bytes are limited by ``StorageTuning/commitLimitByteCount``, or by 1 GiB and
  /// 2,048 bytes if that is more.
  public let limits: BackendLimits

  /// Writes all commits back to the main files and empties the logs (`tdn_checkpoint`).
  public func checkpoint() throws(BackendError) {
    try unsafe cabinet.call { unsafe tdn_checkpoint($0, $1) }
  }

  /// Releases the memory of the files' pages (`tdn_release_memory`).
  public func releaseMemory() throws(BackendError) {
    try unsafe cabinet.call { unsafe tdn_release_memory($0, $1) }
  }

  /// Recovers from the files after a failed flush (`tdn_reopen`).
  public func reopen() throws(BackendError) {
    var report = tdn_open_report()
    try unsafe cabinet.call { unsafe tdn_reopen($0, &report, $1) }
    latestReport.withLock { [report] in $0 = OpenReport(report) }
    try repairRecords()
  }

  /// Makes all commits durable, removes the logs and frees the files (`tdn_close`); open snapshots end.
  public func close() throws(BackendError) { try cabinet.close() }

  private static func open(
    _ location: Location, secret: StoreSecret?, options: Options, report: inout tdn_open_report
  ) throws(BackendError) -> OpaquePointer {
    var error = tdn_error()
    var cOptions = unsafe options.cOptions(storage: location.storage)
    func openNamed() -> OpaquePointer? {
      unsafe location.path.withCString { path in
        guard let name = options.programName else { return unsafe tdn_open(path, &cOptions, &report, &error) }
        return unsafe name.withCString { program in
          unsafe cOptions.program = unsafe program
          return unsafe tdn_open(path, &cOptions, &report, &error)
        }
      }
    }
    func open() -> OpaquePointer? {
      guard let expected = options.expectedAnchor else { return unsafe openNamed() }
      return unsafe withUnsafePointer(to: expected.cAnchor) { expected in
        unsafe cOptions.expected = unsafe expected
        return unsafe openNamed()
      }
    }
    let opened: OpaquePointer? =
      if let secret {
        unsafe secret.withBytes { secret in
          unsafe cOptions.secret = unsafe secret
          return unsafe open()
        }
      } else {
        unsafe open()
      }
    guard let opened = unsafe opened else { throw unsafe BackendError(&error) }
    return unsafe opened
  }

  /// Checks that the packed types of the contract have the layout of their C counterparts, which C accesses directly.
  private static func checkLayouts() {
    precondition(
      MemoryLayout<RecordChunk.Slice>.stride == MemoryLayout<tdn_slice>.stride
        && MemoryLayout<RecordChunk.Slice>.offset(of: \.rawStatus) == MemoryLayout<tdn_slice>.offset(of: \.status)
        && MemoryLayout<RecordChunk.Slice>.offset(of: \.keyLength) == MemoryLayout<tdn_slice>.offset(of: \.key_length),
      "RecordChunk.Slice is not laid out as tdn_slice")
    precondition(
      MemoryLayout<WriteBatch.PackedChange>.stride == MemoryLayout<tdn_change>.stride
        && MemoryLayout<WriteBatch.PackedChange>.offset(of: \.keyLength)
          == MemoryLayout<tdn_change>.offset(of: \.key_length)
        && MemoryLayout<WriteBatch.PackedChange>.offset(of: \.valueLength)
          == MemoryLayout<tdn_change>.offset(of: \.value_length),
      "WriteBatch.PackedChange is not laid out as tdn_change")
  }
}
