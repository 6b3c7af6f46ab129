/// One line of a store's dump (docs/formats/dump.md).
public enum DumpEntry: Sendable, Equatable {
  /// The first line.
  case store(format: Int, id: String?, commitNumber: CommitNumber?)
  /// A class.
  ///
  /// `nextRowID` is above all row ids that were ever used; nil if it is unknown.
  case storedClass(name: String, number: KeyspaceID, nextRowID: RowID?)
  /// The keyspace of named buffers.
  case namedBuffers(number: KeyspaceID)
  case record(className: String, RawRecord)
  case namedBuffer(RawNamedBuffer)
  /// The last line.
  case end(DumpCounts)

  static let formatVersion = 1
}

/// The numbers of records and named buffers in a dump.
public struct DumpCounts: Sendable, Equatable {
  public var recordCount: Int
  public var namedBufferCount: Int

  public init(recordCount: Int = 0, namedBufferCount: Int = 0) {
    self.recordCount = recordCount
    self.namedBufferCount = namedBufferCount
  }
}

/// An error in a dump from which a store was to be created.
public struct DumpError: Error, Sendable, Equatable, CustomStringConvertible {
  public var code: Code
  /// The number of the line, from 1; nil if the error concerns the dump as a whole.
  public var line: Int?
  public var message: String

  public init(_ code: Code, line: Int? = nil, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// A line is not a JSON object.
    case notJSON
    /// A field is missing, is unknown, or has an invalid value.
    case invalidField
    /// The dump was written by a newer version of this library.
    case newerFormat
    /// A line is at a place where its kind is not allowed.
    case outOfOrder
    /// A class, a row or a name occurs twice.
    case duplicate
    /// A record belongs to a class that no earlier line has declared.
    case unknownClass
    /// The dump ends before its last line, or lines are missing.
    case incomplete
  }

  public var description: String {
    line.map { "Line \($0) of the dump: \(message)" } ?? "The dump: \(message)"
  }
}
