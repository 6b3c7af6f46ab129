/// A verification of an index whose class the program does not know.
///
/// Without the class, the values of a row are unknown. However, each entry must belong to an existing row, and an index
/// of all rows has an entry for each.
struct StoredIndexVerification {
  let className: String
  let name: String
  /// The rows of the class.
  private let rows: RowSet
  private var header: IndexHeader?
  private var entryCount = 0
  private var skippedRowCount = 0

  /// Creates a verification.
  ///
  /// - Parameters:
  ///   - name: The names of the class and the index, from the name of the tree.
  ///   - rows: All rows of the class.
  init(_ name: (className: String, name: String), rows: RowSet) {
    (className, self.name) = name
    self.rows = rows
  }

  struct Finding {
    let rowID: RowID?
    let message: String
  }

  /// Checks the next record of the tree; the records must be passed in their order.
  ///
  /// - Returns: The problem with the record; nil if there is none.
  mutating func check(_ slice: RecordChunk.Slice, in chunk: RecordChunk) -> Finding? {
    let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
    guard unsafe key.first == IndexHeader.entryByte else {
      if unsafe key.elementsEqual(IndexHeader.key) {
        header = unsafe IndexHeader(chunk.value(of: slice))
      } else {
        skippedRowCount += 1
      }
      return nil
    }
    entryCount += 1
    guard let rowID = IndexEntry.rowID(of: slice, in: chunk) else {
      return Finding(rowID: nil, message: "An entry of the index is malformed.")
    }
    if rows.contains(rowID) { return nil }
    return Finding(rowID: rowID, message: "The index has an entry for a row that does not exist.")
  }

  /// The difference between the numbers of entries and rows, once all records of the tree were checked; nil if there is
  /// none.
  var countFinding: Finding? {
    guard let header, header.state != .building, header.hasOneEntryForEachRow else { return nil }
    let expectedCount = rows.count - skippedRowCount
    if entryCount == expectedCount { return nil }
    return Finding(rowID: nil, message: "The index has \(entryCount) entries, but should have \(expectedCount).")
  }
}

extension IndexHeader {
  /// Whether each row of the class has exactly one entry: the index is neither partial nor an index of collection
  /// elements.
  ///
  /// False if this is unknown because a part of the index has no name in the signature.
  fileprivate var hasOneEntryForEachRow: Bool {
    !signature.split(separator: "\n").contains { line in
      ["where ", "part each(", "part -each(", "part ?"].contains { line.hasPrefix($0) }
    }
  }
}
