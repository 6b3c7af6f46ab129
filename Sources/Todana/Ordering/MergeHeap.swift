/// A position in a sorted sequence.
protocol MergeCursor: AnyObject {
  /// Advances to the next element; returns false at the end.
  func advance() throws(BackendError) -> Bool
  /// Returns whether this cursor's element comes before another cursor's element.
  func isBefore(_ other: Self) -> Bool
}

/// A merge of several sorted sequences.
struct MergeHeap<Cursor: MergeCursor> {
  /// The cursors as a heap: none comes before its parent.
  private var cursors: [Cursor]

  /// Creates a merge.
  ///
  /// - Parameter cursors: The cursors, each at its first element.
  init(_ cursors: [Cursor]) {
    self.cursors = cursors
    for position in (0..<cursors.count / 2).reversed() { sink(from: position) }
  }

  /// The cursor whose element comes first; nil at the end.
  var first: Cursor? { cursors.first }

  /// Advances past the first element.
  ///
  /// - Complexity: O(log *n*) in the number of cursors.
  mutating func advance() throws(BackendError) {
    guard let first else { return }
    if try !first.advance() {
      cursors.swapAt(0, cursors.count - 1)
      cursors.removeLast()
    }
    sink(from: 0)
  }

  private mutating func sink(from position: Int) {
    var position = position
    while true {
      var least = position
      for child in 2 * position + 1...2 * position + 2
      where child < cursors.count && cursors[child].isBefore(cursors[least]) {
        least = child
      }
      if least == position { return }
      cursors.swapAt(position, least)
      position = least
    }
  }
}
