import Todana

/// Row ids as text, with successive ones joined: `row 7`, or `rows 9217–9247, 9300 (32)` with their number.
struct RowRanges: CustomStringConvertible {
  let description: String

  private static let rangeLimit = 10

  init(_ rowIDs: [RowID]) {
    var ranges: [ClosedRange<RowID>] = []
    for rowID in Set(rowIDs).sorted() {
      if let last = ranges.last, last.upperBound < rowID, rowID - last.upperBound == 1 {
        ranges[ranges.count - 1] = last.lowerBound...rowID
      } else {
        ranges.append(rowID...rowID)
      }
    }
    let shown = ranges.prefix(Self.rangeLimit).map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
    }
    let list = shown.joined(separator: ", ") + (ranges.count > Self.rangeLimit ? ", …" : "")
    let count = Set(rowIDs).count
    description = count == 1 ? "row \(list)" : "rows \(list) (\(formattedCount(count)))"
  }
}
