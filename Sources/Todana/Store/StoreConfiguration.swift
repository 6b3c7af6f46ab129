public import Logging

/// The options with which a store is opened.
///
/// ```swift
/// let configuration = StoreConfiguration(
///   encryption: .passphrase(passphrase), access: .writeExisting, waitDuration: .seconds(10))
/// ```
public struct StoreConfiguration: Sendable {
  public var encryption: Encryption
  /// The permitted access to the records.
  ///
  /// By default, records are read and written, and a missing store is created. With `.writeExisting`, opening a missing
  /// store throws an error.
  public var access: Access
  /// The time to wait until another opener closes the store; zero, the default, does not wait.
  public var waitDuration: Duration
  /// The durability of saves that do not specify one.
  public var durability: Durability
  /// The cipher of an encrypted store, used when it is created.
  public var cipher: StoreCipher
  /// The cost of trying a passphrase that is added to a store: scrypt with *N* = 2 to this power, *r* = 8, *p* = 1.
  ///
  /// At 16, the default, one try takes 64 MiB of memory and about a fifth of a second; each step doubles both. The range
  /// is 10 to 20.
  public var passphraseCost: Int
  /// The multiple of bytes, at most 4,096, to which records are padded before they are encrypted; 0, the default, for
  /// no padding.
  ///
  /// Padding makes the files reveal less about the length of each record. It applies to records that this store writes;
  /// existing records with another padding stay as they are. It has no effect in a store that is not encrypted.
  public var recordPadding: Int
  /// Whether a store opens although its encryption or decryption was interrupted, accepting its unencrypted parts.
  ///
  /// Without it, opening such a store throws ``StoreError/Code/migrationUnfinished``. Set it only in a program that has
  /// begun the migration itself (``Store/encrypt(with:progress:)``). Otherwise the program would accept an old copy of
  /// the store that an attacker has put in its place.
  public var resumingMigration: Bool
  /// Whether a save checks for loaded objects that were changed without ``StoredObject/willUpdate()``, and throws
  /// ``StoreError/Code/changedWithoutWillUpdate`` if it finds any.
  ///
  /// The check encodes each loaded object once more, when it is loaded and at every save. It is on by default only in
  /// debug builds of this library.
  public var detectsUnannouncedChanges: Bool
  /// Whether the first save of an object of each class checks that the declarations of the class agree.
  ///
  /// The check writes the object, reads it back, and compares: `readContent` and `writeContent` with each other, and
  /// with `contentFields`, `fields` and `indexes`. A problem is logged as an error by the ``logger``, or by
  /// swift-log's logger of the process if there is none. It is on by default only in debug builds of this library.
  public var checksDeclarations: Bool
  /// The time at which new or unfinished indexes are built.
  public var indexBuilding: IndexBuildingTime
  /// The policy for queries that have to read all objects of a class with many objects.
  public var scans: ScanPolicy
  /// Whether a single wrong bit is repaired when it is read, if it would make other, sound records unreadable.
  ///
  /// ``KyotoBackend/Options/repairsFlippedBits`` says more.
  public var repairsFlippedBits: Bool
  /// The stored names of classes in whose records wrong bits are repaired as well.
  ///
  /// ``KyotoBackend/Options/repairedClasses`` says more.
  public var repairedClasses: Set<String>
  /// The name that is reported to other processes while this store is open; nil for the name of the process.
  public var programName: String?
  /// The sizes and limits of the storage engine.
  public var tuning: StorageTuning
  /// The logger for the opening of the store, including any recovery, and for its reopening after a failure.
  ///
  /// It also receives warnings: of failed background work, and of unsaved changes that are lost when a store is
  /// released. Contents of the store are not logged.
  public var logger: Logger?

  public init(
    encryption: Encryption = .none, access: Access = .write, waitDuration: Duration = .zero,
    durability: Durability = .full, cipher: StoreCipher = .aes128, passphraseCost: Int = 16, recordPadding: Int = 0,
    resumingMigration: Bool = false, detectsUnannouncedChanges: Bool = isDebugBuild,
    checksDeclarations: Bool = isDebugBuild, indexBuilding: IndexBuildingTime = .background,
    scans: ScanPolicy = .allowed, repairsFlippedBits: Bool = false,
    repairedClasses: Set<String> = [], programName: String? = nil, tuning: StorageTuning = StorageTuning(),
    logger: Logger? = nil
  ) {
    self.encryption = encryption
    self.access = access
    self.waitDuration = waitDuration
    self.durability = durability
    self.cipher = cipher
    self.passphraseCost = passphraseCost
    self.recordPadding = recordPadding
    self.resumingMigration = resumingMigration
    self.detectsUnannouncedChanges = detectsUnannouncedChanges
    self.checksDeclarations = checksDeclarations
    self.indexBuilding = indexBuilding
    self.scans = scans
    self.repairsFlippedBits = repairsFlippedBits
    self.repairedClasses = repairedClasses
    self.programName = programName
    self.tuning = tuning
    self.logger = logger
  }

  public typealias Access = KyotoBackend.Access
  public typealias Encryption = StoreEncryption

  /// Whether the library was built without optimization.
  public static let isDebugBuild: Bool = {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    return isDebug
  }()
}

// The options of a backend that a store opens.
extension StoreConfiguration {
  /// Returns the options for a backend.
  ///
  /// - Parameter anchor: A commit that the store must still have; nil accepts any state.
  /// - Returns: The options.
  func options(expecting anchor: StoreAnchor?) -> KyotoBackend.Options {
    var options = KyotoBackend.Options()
    // A store that has a commit already exists, so none is created at a wrong path.
    options.access = anchor != nil && access == .write ? .writeExisting : access
    options.waitDuration = waitDuration
    options.cipher = cipher
    options.passphraseCost = passphraseCost
    options.resumingMigration = resumingMigration
    options.repairsFlippedBits = repairsFlippedBits
    options.repairedClasses = repairedClasses
    options.programName = programName
    options.tuning = tuning
    options.expectedAnchor = anchor
    return options
  }

  /// The settings of the backend, which are now settings of the configuration itself.
  @available(*, deprecated, message: "Use the properties of the configuration: access, waitDuration, tuning, …")
  public var backendOptions: KyotoBackend.Options {
    get { options(expecting: nil) }
    set {
      access = newValue.access
      waitDuration = newValue.waitDuration
      cipher = newValue.cipher
      passphraseCost = newValue.passphraseCost
      resumingMigration = newValue.resumingMigration
      repairsFlippedBits = newValue.repairsFlippedBits
      repairedClasses = newValue.repairedClasses
      programName = newValue.programName
      tuning = newValue.tuning
    }
  }
}

/// The time at which new or unfinished indexes are built (``Store/buildIndexes(progress:)``).
public enum IndexBuildingTime: Sendable {
  /// Indexes are built while opening if there are few objects, else on another thread after opening. The default.
  case background
  /// Indexes are built before opening returns.
  case onOpening
  /// Indexes are built when ``Store/buildIndexes(progress:)`` is called.
  case manual
}

/// The policy for queries that have to read all objects of a class because no index serves them.
public enum ScanPolicy: Sendable {
  /// Such queries run. The default.
  case allowed
  /// Such queries run. If there are more objects than this, the query and its plan are logged to the configuration's
  /// logger.
  case logged(above: Int)
  /// Such queries throw ``StoreError/Code/scanRefused`` if there are more objects than this.
  case refused(above: Int)
}
