/// A file of a backend that can be verified.
public enum BackendFile: Sendable, Hashable {
  /// The one that lists the keyspaces.
  case catalog
  /// The one that says what the keyspaces contain.
  case states
  /// A keyspace's.
  case keyspace(KeyspaceID)
}

/// Pages of a backend's file that were read anew and checked (``EngineOperations/verifyPages(of:from:)``).
public struct VerifiedPages: Sendable {
  /// The file's name within the store.
  public var file: String
  /// Pages that were looked at, one after the other.
  public var pageCount: Int
  /// The pages of the whole file.
  public var filePageCount: Int
  /// The numbers, within the file, of those whose content does not match their checksum.
  public var damagedPages: [Int]

  public init(file: String, pageCount: Int, filePageCount: Int, damagedPages: [Int]) {
    self.file = file
    self.pageCount = pageCount
    self.filePageCount = filePageCount
    self.damagedPages = damagedPages
  }
}

/// A file of a backend that is not as it was written, though the store can do without it.
public struct DamagedFile: Sendable {
  /// The file's name within the store.
  public var file: String
  /// What is wrong, for people.
  public var message: String

  public init(file: String, message: String) {
    self.file = file
    self.message = message
  }
}
