/// The form of the keys in the index of a relationship: the entry byte, 1 if the property is optional, the number of the
/// target's class, the target's row, and the owner's row, each of these with the highest byte first.
struct ReferenceKey {
  /// Whether the property can be nil; such an index also has entries for nil, whose second byte is 0.
  let isOptional: Bool

  /// Returns the bounds of the entries for the targets of a class within a range of rows.
  func bounds(of rows: ClosedRange<RowID>, _ classID: KeyspaceID) -> (lower: [UInt8], upper: [UInt8]) {
    let beginning = beginning(of: classID)
    let lower = beginning + Self.bigEndianBytes(rows.lowerBound)
    let (next, isHighest) = rows.upperBound.addingReportingOverflow(1)
    return (lower, beginning + (isHighest ? [UInt8](repeating: 0xFF, count: 9) : Self.bigEndianBytes(next)))
  }

  /// Returns the rows of an entry; nil for an entry of another form.
  func rows(of key: UnsafeRawBufferPointer) -> (target: RowID, owner: RowID)? {
    guard key.count == rowsOffset + 16 else { return nil }
    return unsafe (
      RowID(bigEndian: key.loadUnaligned(fromByteOffset: rowsOffset, as: RowID.self)),
      RowID(bigEndian: key.loadUnaligned(fromByteOffset: rowsOffset + 8, as: RowID.self))
    )
  }

  /// Returns the number of the target's class in an entry that has rows.
  func classID(of key: UnsafeRawBufferPointer) -> KeyspaceID {
    KeyspaceID(
      rawValue: unsafe UInt32(bigEndian: key.loadUnaligned(fromByteOffset: rowsOffset - 4, as: UInt32.self)))
  }

  private var rowsOffset: Int { isOptional ? 6 : 5 }

  private func beginning(of classID: KeyspaceID) -> [UInt8] {
    let number = classID.rawValue
    return [IndexHeader.entryByte] + (isOptional ? [1] : [])
      + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  private static func bigEndianBytes(_ rowID: RowID) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: rowID >> RowID($0)) }
  }
}
