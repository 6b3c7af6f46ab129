/// A change of the keys of a whole store in use, which is finished once all of it has been rewritten.
@nonexhaustive
public enum StoreMigration: Sendable {
  /// A plain store becomes an encrypted one.
  case encrypting
  /// An encrypted store becomes a plain one.
  case decrypting
  /// All keys are renewed, and everything is encrypted again.
  case rotatingKeys
}

/// The progress of a ``StoreMigration``.
public struct MigrationProgress: Sendable, Equatable {
  /// The number of bytes of files that were rewritten since the migration was begun or resumed.
  public var doneByteCount: Int
  /// The number of bytes of files to rewrite in all.
  public var byteCount: Int
}
