/// The number of changes that make one word of another: a letter inserted, removed or replaced, or two adjacent ones
/// exchanged, none of which is changed again (optimal string alignment).
enum EditDistance {
  /// Tests whether two words, as Unicode scalars, differ by no more than this number of changes.
  ///
  /// - Complexity: O(*n* · `limit`).
  static func isWithin(_ limit: Int, _ first: [UInt32], _ second: [UInt32]) -> Bool {
    guard abs(first.count - second.count) <= limit else { return false }
    let width = second.count + 1
    // The last two rows of the table, and the one being filled. Entries outside of the diagonal band count as too many.
    let tooMany = limit + 1
    var beforeLast = [Int](repeating: tooMany, count: width)
    var last = (0..<width).map { min($0, tooMany) }
    var row = beforeLast
    for index in 1..<first.count + 1 {
      for column in 0..<width { row[column] = tooMany }
      row[0] = min(index, tooMany)
      let band = max(1, index - limit)..<min(second.count, index + limit) + 1
      var best = row[0]
      for column in band.lowerBound..<max(band.lowerBound, band.upperBound) {
        let isSame = first[index - 1] == second[column - 1]
        var distance = min(last[column - 1] + (isSame ? 0 : 1), last[column] + 1, row[column - 1] + 1)
        if index > 1, column > 1, first[index - 1] == second[column - 2], first[index - 2] == second[column - 1] {
          distance = min(distance, beforeLast[column - 2] + 1)
        }
        row[column] = min(distance, tooMany)
        best = min(best, row[column])
      }
      if best > limit { return false }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[second.count] <= limit
  }
}
