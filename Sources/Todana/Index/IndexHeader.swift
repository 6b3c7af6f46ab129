/// The record in an index's tree that describes how the index was built, and how far (docs/formats/index-keys.md).
struct IndexHeader {
  var state: State
  /// During a build, the row from which it continues; all rows below it are in the index.
  var nextRow: RowID
  var signature: String
  /// A random number, new for each header, by which a builder recognizes a header that it has written itself.
  let token: UInt64

  enum State: UInt8 {
    /// All entries are correct, but some are missing.
    case building = 1
    case complete = 2
    /// All rows have entries except those noted in the tree, whose records could not be read.
    case completeButSkippedRows = 3
  }

  /// The key of the header; keys of entries begin with ``entryByte``.
  static let key: [UInt8] = [0]
  static let entryByte: UInt8 = 1
  private static let format: UInt8 = 2

  /// Returns the key of the note about a row whose record could not be read: the header's key, then the row id.
  static func skippedKey(of rowID: RowID) -> [UInt8] {
    key + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: rowID >> RowID($0)) }
  }

  /// Returns the row of a note's key; nil for any other key.
  static func skippedRow(of key: UnsafeRawBufferPointer) -> RowID? {
    guard key.count == Self.key.count + 8, unsafe key.starts(with: Self.key) else { return nil }
    return unsafe RowID(bigEndian: key.loadUnaligned(fromByteOffset: Self.key.count, as: RowID.self))
  }

  /// The token of a header that no builder claims: any session may continue the building.
  private static let unclaimed: UInt64 = 0

  var isUnclaimed: Bool { token == Self.unclaimed }

  init(state: State, nextRow: RowID, signature: String) {
    self.state = state
    self.nextRow = nextRow
    self.signature = signature
    token = .random(in: 1 ... .max)
  }

  /// Returns the header for a build that its builder has given up.
  func givenUp() -> IndexHeader { IndexHeader(self, token: Self.unclaimed) }

  private init(_ header: IndexHeader, token: UInt64) {
    (state, nextRow, signature) = (header.state, header.nextRow, header.signature)
    self.token = token
  }

  /// Parses a header; nil if the bytes have another format, which requires a new build of the index.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 18, unsafe bytes[0] == Self.format, let state = unsafe State(rawValue: bytes[1]),
      let signature = unsafe String(validating: bytes[10..<bytes.count - 8], as: UTF8.self)
    else { return nil }
    self.state = state
    nextRow = unsafe RowID(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: RowID.self))
    self.signature = signature
    token = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
  }

  var bytes: [UInt8] {
    [Self.format, state.rawValue] + Self.littleEndianBytes(nextRow) + signature.utf8 + Self.littleEndianBytes(token)
  }

  private static func littleEndianBytes(_ number: UInt64) -> [UInt8] {
    stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}
