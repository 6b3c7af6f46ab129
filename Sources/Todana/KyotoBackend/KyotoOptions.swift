internal import CStorageEngine

extension KyotoBackend {
  /// Where a backend keeps its files.
  public enum Location: Sendable, Hashable {
    /// A directory on disk, by its path.
    case directory(String)
    /// Unlinked files in the directory for temporary files (`TMPDIR`, or `/tmp`): gone at close and after a kill.
    case temporary
    /// Memory only.
    case inMemory
  }

  /// What may be done with the files.
  public enum Access: Sendable {
    /// Reading and writing; a store is created where there is no directory or an empty one.
    case write
    /// Reading and writing of a store that is there already.
    case writeExisting
    /// Reading only: needs no write permission and changes nothing. Several processes may read at once.
    case read
  }

  /// How a backend is opened; the defaults suit most programs.
  public struct Options: Sendable {
    public var access = Access.write
    /// How long to wait for another opener to leave; zero: not at all.
    public var waitDuration = Duration.zero
    /// Bytes of log that start a checkpoint in the background; with four times as many, twice where memory is spared, saves
    /// wait for it.
    public var logLimitByteCount = 64 << 20
    /// Bytes of pages changed since the last checkpoint that start one in the background; saves wait for it as above.
    public var privateLimitByteCount = 128 << 20
    /// Whether little of large files stays in the process's memory because it was read.
    ///
    /// Such pages are the system's cache, and cost nobody memory that is needed otherwise, but they count as the
    /// process's: up to 2 MiB for each record that is looked at. For programs that have to keep within a limit; what is
    /// read from files of 16 MiB and more takes longer then.
    public var limitsMemory = false
    /// Whether a single wrong bit is repaired when it is read, where it would make records unreadable that are sound.
    ///
    /// Of the pages that lead to records, of those that list and describe classes, and of named buffers and indexes one
    /// wrong bit is found by trying which one makes the page's checksum right; the next save writes the page anew.
    /// Otherwise, reading them is an error, which tells at once of a disk or memory that fails. In the file of a class a
    /// wrong bit costs at most the record that it is in, with this option or without.
    /// ``Store/verify(progress:)`` tells of it in any case.
    public var repairsFlippedBits = false
    /// Stored names of classes whose records lead to others, so that wrong bits of them are repaired, too.
    ///
    /// Only with ``repairsFlippedBits``, and of classes that are there when the store is opened. Other records are not
    /// repaired: a wrong bit costs only the record that has it.
    public var repairedClasses: Set<String> = []
    /// Bytes of committed pages that one batch may change.
    public var commitLimitByteCount = 1 << 30
    /// Bytes of old values that a snapshot keeps in memory before it uses a file.
    public var snapshotLimitByteCount = 64 << 20
    /// Bytes of whole new pages from which on a commit writes them straight to their file.
    public var directThresholdByteCount = 1 << 20
    /// Bytes on the disk that a compaction on demand may take besides the store's files, its log included; or a twentieth of
    /// the class's file, if that is more.
    ///
    /// A file whose copy takes more is compacted in place: its records move to its start, and its end is cut off. That takes
    /// longer than a copy, packs no rows together, and works on a nearly full disk.
    public var compactionRoomByteCount = 64 << 20
    /// Data files that are open at once.
    public var descriptorLimit = 256
    /// Bytes that the device writes wholly or not at all.
    public var sectorSize = SectorSize.ofDevice
    /// Trusts no sector size: whole pages go to the log.
    public var isStrict = false
    /// What an encrypted store is encrypted with, when it is created.
    public var cipher = StoreCipher.aes128
    /// The cost of trying a passphrase that is given to a store: scrypt with *N* = 2 to this power, *r* = 8, *p* = 1.
    ///
    /// At 16, the default, one try takes 64 MiB of memory and a fifth of a second or so; each step doubles both. From 10
    /// to 20.
    public var passphraseCost = 16
    /// About how many records and other things an encrypted store encrypts with one key before it makes a new one by
    /// itself; at most 2^31, the default, so that no two have the same nonce.
    public var sealLimit = 1 << 31
    /// A commit that the store must still have; nil: whatever state it is in.
    ///
    /// Opening throws ``BackendError/Code/rolledBack`` or ``BackendError/Code/diverged`` where it has not.
    public var expectedAnchor: StoreAnchor?
    /// Opens a store though encrypting or decrypting it was interrupted, and accepts what is not encrypted of it, which
    /// otherwise is ``BackendError/Code/migrationUnfinished``.
    ///
    /// For a program that has begun that itself: somebody else could have put an old copy of the store in its place.
    public var resumingMigration = false
    /// The name that other openers are told while this one holds the store; nil: the process's own.
    public var programName: String?

    public init() {}
  }

  /// The unit that a device writes wholly or not at all, in bytes.
  public enum SectorSize: Int32, Sendable {
    case ofDevice = 0
    case bytes512 = 512
    case bytes4096 = 4096
  }
}

extension KyotoBackend.Location {
  /// What `tdn_open` takes as its path; an empty one for temporary files is `TMPDIR` or `/tmp`.
  var path: String {
    switch self {
    case .directory(let path): path
    case .temporary, .inMemory: ""
    }
  }

  /// What is kept in memory or in unlinked files goes with the process.
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
  /// The options as C takes them; `program` is left to the caller, who knows how long it lives.
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
  /// Rounded up, so that a short wait is not none at all; at most 100 years.
  fileprivate var wholeMilliseconds: Int64 {
    let limit = Duration.seconds(100 * 365 * 86_400)
    let bounded = min(max(self, .zero), limit)
    let (seconds, attoseconds) = bounded.components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
