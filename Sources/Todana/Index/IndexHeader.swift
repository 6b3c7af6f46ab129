/// What stands in an index's tree beside its entries: what it was built with, and how far (docs/formats/index-keys.md).
struct IndexHeader {
  var state: State
  /// While it is being built: rows below this one are in it.
  var nextRow: RowID
  var signature: String
  /// Another number for each header that is written: who builds the index expects the one that it has written itself.
  let token: UInt64

  enum State: UInt8 {
    /// What is in it is right, but not everything is.
    case building = 1
    case complete = 2
    /// All rows are in it but those that are noted in its tree, as their records could not be read.
    case completeButSkippedRows = 3
  }

  /// The key that it stands under; entries begin with ``entryByte``.
  static let key: [UInt8] = [0]
  static let entryByte: UInt8 = 1
  private static let format: UInt8 = 2

  /// The key of the note about a row whose record could not be read: that of the header, then the row id.
  static func skippedKey(of rowID: RowID) -> [UInt8] {
    key + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: rowID >> RowID($0)) }
  }

  /// The row of such a key; nil if it is another one.
  static func skippedRow(of key: UnsafeRawBufferPointer) -> RowID? {
    guard key.count == Self.key.count + 8, unsafe key.starts(with: Self.key) else { return nil }
    return unsafe RowID(bigEndian: key.loadUnaligned(fromByteOffset: Self.key.count, as: RowID.self))
  }

  init(state: State, nextRow: RowID, signature: String) {
    self.state = state
    self.nextRow = nextRow
    self.signature = signature
    token = .random(in: .min ... .max)
  }

  /// Reads ``bytes``; nil if they are something else, which is as good as an index of another form.
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
