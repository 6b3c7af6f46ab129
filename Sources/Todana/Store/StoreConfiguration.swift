public import Logging

/// The options with which a store is opened.
public struct StoreConfiguration: Sendable {
  public var encryption: Encryption
  /// The durability of saves that do not specify one.
  public var durability: Durability
  /// Whether a save checks for loaded objects that were changed without ``StoredObject/willUpdate()``, and throws
  /// ``StoreError/Code/changedWithoutWillUpdate`` if it finds any.
  ///
  /// The check encodes each loaded object once more, when it is loaded and at every save. It is on by default only in
  /// debug builds of this library.
  public var detectsUnannouncedChanges: Bool
  /// Whether a store opens although its encryption or decryption was interrupted, accepting its unencrypted parts.
  ///
  /// Without it, opening such a store throws ``StoreError/Code/migrationUnfinished``. Set it only in a program that has
  /// begun the migration itself (``Store/encrypt(with:progress:)``). Otherwise the program would accept an old copy of
  /// the store that an attacker has put in its place.
  public var resumingMigration = false
  /// The multiple of bytes, at most 4,096, to which records are padded before they are encrypted; 0, the default, for
  /// no padding.
  ///
  /// Padding makes the files reveal less about the length of each record. It applies to records that this store writes;
  /// existing records with another padding stay as they are. It has no effect in a store that is not encrypted.
  public var recordPadding = 0
  /// The time at which new or unfinished indexes are built.
  public var indexBuilding = IndexBuildingTime.background
  /// The policy for queries that have to read all objects of a class with many objects.
  public var scans = ScanPolicy.allowed
  /// The options of the file backend: access, waiting for other openers, and limits of the files.
  public var backendOptions: KyotoBackend.Options
  /// The logger for the opening of the store, including any recovery, and for its reopening after a failure.
  ///
  /// It also receives warnings: of failed background work, and of unsaved changes that are lost when a store is
  /// released. Contents of the store are not logged.
  public var logger: Logger?

  public init(
    encryption: Encryption = .none, durability: Durability = .full, detectsUnannouncedChanges: Bool = isDebugBuild,
    backendOptions: KyotoBackend.Options = KyotoBackend.Options(), logger: Logger? = nil
  ) {
    self.encryption = encryption
    self.durability = durability
    self.detectsUnannouncedChanges = detectsUnannouncedChanges
    self.backendOptions = backendOptions
    self.logger = logger
  }

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

/// The time at which new or unfinished indexes are built (``Store/buildIndexes(progress:)``).
public enum IndexBuildingTime: Sendable {
  /// Indexes are built while opening if there are few objects, else on another thread after
  /// opening.
  ///
  /// This is the default.
  case background
  /// Indexes are built before opening returns.
  case onOpening
  /// Indexes are built when ``Store/buildIndexes(progress:)`` is called.
  case manual
}

/// The policy for queries that have to read all objects of a class because no index serves them.
public enum ScanPolicy: Sendable {
  /// Such queries run, which is the default.
  case allowed
  /// Such queries run, and are logged with their plans if there are more objects than this.
  ///
  /// They are logged to the configuration's ``StoreConfiguration/logger``.
  case logged(above: Int)
  /// Such queries throw ``StoreError/Code/scanRefused`` if there are more objects than this.
  case refused(above: Int)
}
