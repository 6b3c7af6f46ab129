/// One line of a store's dump (docs/formats/dump.md).
public enum DumpEntry: Sendable, Equatable {
  /// The first one.
  case store(format: Int, id: String?, commitNumber: CommitNumber?)
  /// A class. `nextRowID` is above all row ids that were ever used, if that is known.
  case storedClass(name: String, number: KeyspaceID, nextRowID: RowID?)
  /// The keyspace of named buffers.
  case namedBuffers(number: KeyspaceID)
  case record(className: String, RawRecord)
  case namedBuffer(RawNamedBuffer)
  /// The last one.
  case end(DumpCounts)

  static let formatVersion = 1
}

/// What a dump has.
public struct DumpCounts: Sendable, Equatable {
  public var recordCount: Int
  public var namedBufferCount: Int

  public init(recordCount: Int = 0, namedBufferCount: Int = 0) {
    self.recordCount = recordCount
    self.namedBufferCount = namedBufferCount
  }
}

/// What is wrong with a dump that a store was to be made of.
public struct DumpError: Error, Sendable, Equatable, CustomStringConvertible {
  public var code: Code
  /// The line, from 1; nil where the dump as a whole is meant.
  public var line: Int?
  public var message: String

  public init(_ code: Code, line: Int? = nil, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// A line is no JSON object.
    case notJSON
    /// A field is missing, is not known, or has a value that it cannot have.
    case invalidField
    /// The dump is of a newer version of this library.
    case newerFormat
    /// A line stands where its kind must not.
    case outOfOrder
    /// A class, a row or a name is there twice.
    case duplicate
    /// A record is of a class that no line has announced.
    case unknownClass
    /// The dump ends before its end, or lines are missing.
    case incomplete
  }

  public var description: String {
    line.map { "Line \($0) of the dump: \(message)" } ?? "The dump: \(message)"
  }
}
