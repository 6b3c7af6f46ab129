/// Checks an index of a class that the program does not know.
///
/// Without the class nothing tells which values a row has. But each entry has to be of a row that exists, and an index of
/// all rows has an entry for each.
struct StoredIndexVerification {
  let className: String
  let name: String
  /// The rows of the class.
  private let rows: RowSet
  private var header: IndexHeader?
  private var entryCount = 0
  private var skippedRowCount = 0

  /// - Parameters:
  ///   - name: The class and the index, as the name of the tree has them.
  ///   - rows: All rows of the class.
  init(_ name: (className: String, name: String), rows: RowSet) {
    (className, self.name) = name
    self.rows = rows
  }

  struct Finding {
    let rowID: RowID?
    let message: String
  }

  /// Takes the next record of the tree, in its order.
  ///
  /// - Returns: What is wrong with it; nil if nothing is.
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
      return Finding(rowID: nil, message: "An entry of the index is no entry.")
    }
    if rows.contains(rowID) { return nil }
    return Finding(rowID: rowID, message: "The index has an entry of a row that does not exist.")
  }

  /// Compares the number of entries with that of rows, when all records of the tree were taken.
  var countFinding: Finding? {
    guard let header, header.state != .building, header.hasOneEntryForEachRow else { return nil }
    let expectedCount = rows.count - skippedRowCount
    if entryCount == expectedCount { return nil }
    return Finding(rowID: nil, message: "The index has \(entryCount) entries, and should have \(expectedCount).")
  }
}

extension IndexHeader {
  /// Whether each row of the class has one entry in the index: it is neither partial nor of the elements of collections.
  ///
  /// False if that cannot be told, since a part of the index prints no name.
  fileprivate var hasOneEntryForEachRow: Bool {
    !signature.split(separator: "\n").contains { line in
      ["where ", "part each(", "part -each(", "part ?"].contains { line.hasPrefix($0) }
    }
  }
}
