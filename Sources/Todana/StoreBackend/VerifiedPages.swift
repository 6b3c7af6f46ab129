/// A file of a backend that can be verified.
public enum BackendFile: Sendable, Hashable {
  /// The file that lists the keyspaces.
  case catalog
  /// The file with the number of records and the digest of each keyspace.
  case states
  /// The file of a keyspace.
  case keyspace(KeyspaceID)
}

/// Pages of a backend's file that were read again and checked (``EngineOperations/verifyPages(of:from:)``).
public struct VerifiedPages: Sendable {
  /// The file's name within the store.
  public var file: String
  /// The number of consecutive pages that were checked.
  public var pageCount: Int
  /// The number of pages of the whole file.
  public var filePageCount: Int
  /// The numbers, within the file, of the pages that do not match their checksums.
  public var damagedPages: [Int]

  public init(file: String, pageCount: Int, filePageCount: Int, damagedPages: [Int]) {
    self.file = file
    self.pageCount = pageCount
    self.filePageCount = filePageCount
    self.damagedPages = damagedPages
  }
}

/// A damaged file of a backend that the store can do without.
public struct DamagedFile: Sendable {
  /// The file's name within the store.
  public var file: String
  /// A description of the damage, for people.
  public var message: String

  public init(file: String, message: String) {
    self.file = file
    self.message = message
  }
}
