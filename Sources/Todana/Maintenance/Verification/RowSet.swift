/// A set of row ids, which takes one bit for each id if they are dense.
package struct RowSet {
  private static let rowsPerPage = 4096
  private var pages: [RowID: [UInt64]] = [:]
  package private(set) var count = 0

  package init() {}

  /// Inserts a row id; returns false if the set contains it already.
  package mutating func insert(_ rowID: RowID) -> Bool {
    let (word, bit) = Self.place(of: rowID)
    let wasThere = pages[rowID / RowID(Self.rowsPerPage), default: Self.emptyPage].withBit(bit, ofWord: word)
    if !wasThere { count += 1 }
    return !wasThere
  }

  /// The row ids in ascending order.
  package var rowIDs: [RowID] {
    var rowIDs: [RowID] = []
    rowIDs.reserveCapacity(count)
    forEach { rowIDs.append($0) }
    return rowIDs
  }

  /// Calls back for each row id in ascending order.
  package func forEach(_ body: (RowID) -> Void) {
    for (page, words) in pages.sorted(by: { $0.key < $1.key }) {
      for (index, var word) in words.enumerated() {
        while word != 0 {
          body(page * RowID(Self.rowsPerPage) + RowID(index * 64 + word.trailingZeroBitCount))
          word &= word - 1
        }
      }
    }
  }

  package func contains(_ rowID: RowID) -> Bool {
    let (word, bit) = Self.place(of: rowID)
    return pages[rowID / RowID(Self.rowsPerPage)].map { $0[word] & bit != 0 } ?? false
  }

  private static let emptyPage = [UInt64](repeating: 0, count: rowsPerPage / 64)

  private static func place(of rowID: RowID) -> (word: Int, bit: UInt64) {
    let index = Int(rowID % RowID(rowsPerPage))
    return (index / 64, 1 << UInt64(index % 64))
  }
}

extension [UInt64] {
  /// Sets a bit, and returns whether it was set before.
  fileprivate mutating func withBit(_ bit: UInt64, ofWord word: Int) -> Bool {
    let wasSet = self[word] & bit != 0
    self[word] |= bit
    return wasSet
  }
}
