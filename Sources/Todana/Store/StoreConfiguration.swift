public import Logging

/// How a store is opened.
public struct StoreConfiguration: Sendable {
  public var encryption: Encryption
  /// What a save does that does not say.
  public var durability: Durability
  /// Whether a save looks for loaded objects that were changed without ``StoredObject/willUpdate()`` and throws
  /// ``StoreError/Code/changedWithoutWillUpdate``.
  ///
  /// Costs one more encoding for each loaded object when it is loaded and at every save: on by default in debug builds
  /// of this library only.
  public var detectsUnannouncedChanges: Bool
  /// Opens a store though encrypting or decrypting it was interrupted, and accepts what is not encrypted of it, which
  /// otherwise is ``StoreError/Code/migrationUnfinished``.
  ///
  /// For a program that has begun that itself (``Store/encrypt(with:progress:)``): somebody else could have put an old
  /// copy of the store in its place.
  public var resumingMigration = false
  /// Fills records up before they are encrypted, to a multiple of so many bytes, at most 4,096, so that the files tell
  /// less of how long each is; 0, the default: not at all.
  ///
  /// What this store writes is filled up, and what a store with another setting wrote stays as it is. Not in a store that
  /// is not encrypted.
  public var recordPadding = 0
  /// When indexes are built that are new, or were not finished.
  public var indexBuilding = IndexBuildingTime.background
  /// What becomes of queries that have to look at all objects of a class with many.
  public var scans = ScanPolicy.allowed
  /// Access, waiting for other openers, and limits of the files.
  public var backendOptions: KyotoBackend.Options
  /// Hears how the store was opened, with what the opening had to recover, and of its reopening after a failure.
  ///
  /// Nothing of what is stored is logged.
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

/// When indexes are built that are new, or were not finished (``Store/buildIndexes(progress:)``).
public enum IndexBuildingTime: Sendable {
  /// At once where there are few objects, else on another thread after opening. The default.
  case background
  /// Before opening returns.
  case onOpening
  /// When ``Store/buildIndexes(progress:)`` is called.
  case manual
}

/// What becomes of queries that have to look at all objects of a class, because no index serves them.
public enum ScanPolicy: Sendable {
  /// They do so. The default.
  case allowed
  /// They do so, and the configuration's logger hears of those over more objects than this, with the plan.
  case logged(above: Int)
  /// They throw ``StoreError/Code/scanRefused`` where there are more objects than this.
  case refused(above: Int)
}
