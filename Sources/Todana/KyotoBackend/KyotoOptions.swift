internal import CStorageEngine

extension KyotoBackend {
  /// The place of a backend's files.
  public enum Location: Sendable, Hashable {
    /// A directory on disk, by its path.
    case directory(String)
    /// Unlinked files in the directory for temporary files (`TMPDIR`, or `/tmp`), which closing or a kill removes.
    case temporary
    /// Memory only.
    case inMemory
  }

  /// The permitted access to the files.
  public enum Access: Sendable {
    /// Reading and writing; a store is created if the directory is missing or empty.
    case write
    /// Reading and writing of an existing store.
    case writeExisting
    /// Reading only, without write permission and without any change; several processes may read at once.
    case read
  }

  /// The options with which a backend is opened; the defaults suit most programs.
  ///
  /// A ``Store`` that opens its backend makes them of its ``StoreConfiguration``. The settings of ``tuning`` are also
  /// members of the options themselves.
  @dynamicMemberLookup
  public struct Options: Sendable {
    public var access = Access.write
    /// The time to wait until another opener closes the store; zero does not wait.
    public var waitDuration = Duration.zero
    /// Whether a single wrong bit is repaired when it is read, if it would make other, sound records unreadable.
    ///
    /// This concerns the pages that are needed to find records, the pages that list and describe classes, and the pages
    /// of named buffers and indexes. The wrong bit is found by trying which one makes the page's checksum match; the
    /// next save writes the page again. Without this option reading such a page is an error, which reveals a failing
    /// disk or memory immediately.
    ///
    /// In the file of a class a wrong bit costs at most the record that contains it, with this option or without.
    /// ``Store/verify(progress:)`` always reports it.
    public var repairsFlippedBits = false
    /// The stored names of classes in whose records wrong bits are repaired as well, since they are needed to find
    /// other records.
    ///
    /// Only with ``repairsFlippedBits``, and only for classes that exist when the store is opened. Records of other
    /// classes are not repaired: a wrong bit costs only the record that contains it.
    public var repairedClasses: Set<String> = []
    /// The cipher of an encrypted store, used when it is created.
    public var cipher = StoreCipher.aes128
    /// The cost of trying a passphrase that is added to a store: scrypt with *N* = 2 to this power, *r* = 8, *p* = 1.
    ///
    /// At 16, the default, one try takes 64 MiB of memory and about a fifth of a second; each step doubles both. The
    /// range is 10 to 20.
    public var passphraseCost = 16
    /// A commit that the store must still have; nil accepts any state.
    ///
    /// If the store does not have it, opening throws ``BackendError/Code/rolledBack`` or
    /// ``BackendError/Code/diverged``.
    public var expectedAnchor: StoreAnchor?
    /// Whether a store can be opened although its encryption or decryption was interrupted.
    ///
    /// Then records that are not encrypted are accepted; otherwise opening throws
    /// ``BackendError/Code/migrationUnfinished``. Only for the program that began the migration: an attacker could have
    /// replaced the store by an old copy.
    public var resumingMigration = false
    /// The name that is reported to other processes while this backend has the store open; nil for the name of the
    /// process.
    public var programName: String?

    /// The sizes and limits of the storage engine.
    public var tuning = StorageTuning()

    public init() {}

    public subscript<Value>(dynamicMember keyPath: WritableKeyPath<StorageTuning, Value>) -> Value {
      get { tuning[keyPath: keyPath] }
      set { tuning[keyPath: keyPath] = newValue }
    }
  }
}

extension KyotoBackend.Location {
  /// The path for `tdn_open`; empty for memory, and for temporary files, which are in `TMPDIR` or `/tmp`.
  var path: String {
    switch self {
    case .directory(let path): path
    case .temporary, .inMemory: ""
    }
  }

  /// Whether the files outlast the process; memory and unlinked files do not.
  var isDurable: Bool {
    switch self {
    case .directory: true
    case .temporary, .inMemory: false
    }
  }

  var storage: tdn_storage {
    switch self {
    case .directory: TDN_STORAGE_DIRECTORY
    case .temporary: TDN_STORAGE_TEMPORARY
    case .inMemory: TDN_STORAGE_MEMORY
    }
  }
}

extension KyotoBackend.Options {
  /// Returns the options for C, without `program`, whose lifetime the caller controls.
  func cOptions(storage: tdn_storage) -> tdn_options {
    var options = unsafe tdn_options()
    unsafe tdn_options_init(&options)
    unsafe options.storage = Int32(storage.rawValue)
    unsafe options.access = Int32(cAccess.rawValue)
    unsafe options.wait_milliseconds = waitDuration.wholeMilliseconds
    unsafe options.log_limit = Int64(tuning.logLimitByteCount)
    unsafe options.private_limit = Int64(tuning.privateLimitByteCount)
    unsafe options.limits_memory = tuning.limitsMemory
    unsafe options.repairs_bits = repairsFlippedBits
    unsafe options.commit_limit = Int64(tuning.commitLimitByteCount)
    unsafe options.snapshot_limit = Int64(tuning.snapshotLimitByteCount)
    unsafe options.direct_threshold = Int64(tuning.directThresholdByteCount)
    unsafe options.compaction_room = Int64(max(tuning.compactionRoomByteCount, 0))
    unsafe options.descriptor_limit = Int32(clamping: tuning.descriptorLimit)
    unsafe options.sector_size = tuning.sectorSize.rawValue
    unsafe options.strict = tuning.isStrict
    unsafe options.resuming_migration = resumingMigration
    unsafe options.cipher = cipher.rawValue
    unsafe options.seal_limit = Int64(min(max(tuning.sealLimit, 1), 1 << 31))
    unsafe options.scrypt_log2_n = Int32(clamping: min(max(passphraseCost, 10), 20))
    return unsafe options
  }

  private var cAccess: tdn_access {
    switch access {
    case .write: TDN_ACCESS_WRITE
    case .writeExisting: TDN_ACCESS_WRITE_EXISTING
    case .read: TDN_ACCESS_READ
    }
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up so that a short wait is not zero, and at most 100 years.
  var wholeMilliseconds: Int64 {
    let limit = Duration.seconds(100 * 365 * 86_400)
    let bounded = min(max(self, .zero), limit)
    let (seconds, attoseconds) = bounded.components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
