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
  public struct Options: Sendable {
    public var access = Access.write
    /// The time to wait until another opener closes the store; zero does not wait.
    public var waitDuration = Duration.zero
    /// The number of bytes of the log at which a checkpoint starts in the background.
    ///
    /// At four times this number, or at twice this number with ``limitsMemory``, saves wait for the checkpoint.
    public var logLimitByteCount = 64 << 20
    /// The number of bytes of pages, changed since the last checkpoint, at which a checkpoint starts in the background.
    ///
    /// At four times this number, or at twice this number with ``limitsMemory``, saves wait for the checkpoint.
    public var privateLimitByteCount = 128 << 20
    /// Whether the backend limits the resident memory of large files that it reads.
    ///
    /// Mapped pages belong to the system's cache, so other programs can still get their memory. They count as memory of
    /// the process, however: up to 2 MiB for each record that is read. The option is for programs that must keep within
    /// a limit. With it, reading files of 16 MiB and more takes longer.
    public var limitsMemory = false
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
    /// The maximum number of bytes of committed pages that one batch may change.
    public var commitLimitByteCount = 1 << 30
    /// The maximum number of bytes of old values that a snapshot keeps in memory; further values go to a file.
    public var snapshotLimitByteCount = 64 << 20
    /// The number of bytes of whole new pages at which a commit writes these pages directly to their files.
    public var directThresholdByteCount = 1 << 20
    /// The number of bytes on disk that a compaction on demand may take besides the store's files, its log included.
    ///
    /// A twentieth of the class's file is permitted if that is more. If the copy of a file would take more than this,
    /// the file is compacted in place. Its records move to its start, and its end is cut off. That takes longer than a
    /// copy and packs no rows together, but works on a nearly full disk.
    public var compactionRoomByteCount = 64 << 20
    /// The maximum number of data files that are open at the same time.
    public var descriptorLimit = 256
    /// The number of bytes that the device writes entirely or not at all.
    public var sectorSize = SectorSize.ofDevice
    /// Whether no sector size is trusted, so that whole pages go to the log.
    public var isStrict = false
    /// The cipher of an encrypted store, used when it is created.
    public var cipher = StoreCipher.aes128
    /// The cost of trying a passphrase that is added to a store: scrypt with *N* = 2 to this power, *r* = 8, *p* = 1.
    ///
    /// At 16, the default, one try takes 64 MiB of memory and about a fifth of a second; each step doubles both. The
    /// range is 10 to 20.
    public var passphraseCost = 16
    /// The approximate number of records and other data that are encrypted with one key before the store makes a new
    /// one.
    ///
    /// At most 2^31, the default, so that no two have the same nonce.
    public var sealLimit = 1 << 31
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
    /// The name that is reported to other processes while this backend has the store open; nil for
    /// the name of the process.
    public var programName: String?

    public init() {}
  }

  /// The unit that a device writes entirely or not at all, in bytes.
  public enum SectorSize: Int32, Sendable {
    case ofDevice = 0
    case bytes512 = 512
    case bytes4096 = 4096
  }
}

extension KyotoBackend.Location {
  /// The path for `tdn_open`; empty for memory, and for temporary files, which are in `TMPDIR` or
  /// `/tmp`.
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
    unsafe options.log_limit = Int64(logLimitByteCount)
    unsafe options.private_limit = Int64(privateLimitByteCount)
    unsafe options.limits_memory = limitsMemory
    unsafe options.repairs_bits = repairsFlippedBits
    unsafe options.commit_limit = Int64(commitLimitByteCount)
    unsafe options.snapshot_limit = Int64(snapshotLimitByteCount)
    unsafe options.direct_threshold = Int64(directThresholdByteCount)
    unsafe options.compaction_room = Int64(max(compactionRoomByteCount, 0))
    unsafe options.descriptor_limit = Int32(clamping: descriptorLimit)
    unsafe options.sector_size = sectorSize.rawValue
    unsafe options.strict = isStrict
    unsafe options.resuming_migration = resumingMigration
    unsafe options.cipher = cipher.rawValue
    unsafe options.seal_limit = Int64(min(max(sealLimit, 1), 1 << 31))
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
  fileprivate var wholeMilliseconds: Int64 {
    let limit = Duration.seconds(100 * 365 * 86_400)
    let bounded = min(max(self, .zero), limit)
    let (seconds, attoseconds) = bounded.components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
