/// What changes the keys of a whole store, while it is in use, and lasts until all of it has been rewritten.
@nonexhaustive
public enum StoreMigration: Sendable {
  /// A plain store becomes an encrypted one.
  case encrypting
  /// An encrypted store becomes a plain one.
  case decrypting
  /// All keys are renewed, and everything is encrypted anew.
  case rotatingKeys
}

/// How far a ``StoreMigration`` is.
public struct MigrationProgress: Sendable, Equatable {
  /// Bytes of files that have been rewritten since it was begun, or gone on with.
  public var doneByteCount: Int
  /// Of so many.
  public var byteCount: Int
}
