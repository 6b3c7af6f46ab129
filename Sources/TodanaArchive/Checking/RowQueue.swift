internal import Synchronization
internal import Todana

/// Hands the rows of a class out to several threads, some at a time.
final class RowQueue: Sendable {
  private static let batchCount: RowID = 16

  private let next: Atomic<RowID>
  private let end: RowID

  /// From row 1 to the one before `end`.
  init(end: RowID) {
    next = Atomic(1)
    self.end = end
  }

  /// The next rows, of which some may not exist; nil: there are no more.
  func take() -> Range<RowID>? {
    let start = next.add(Self.batchCount, ordering: .relaxed).oldValue
    return start < end ? start..<min(start + Self.batchCount, end) : nil
  }
}
