import Testing
import Todana

@Suite struct WriteBatchTests {
  @Test func `sorting groups by structure and orders rows by number`() {
    var batch = WriteBatch()
    for (structure, row) in [(2, 7), (1, 9), (2, 3), (1, 1)] as [(UInt32, RowID)] {
      batch.append(
        .init(
          structure: ClassID(rawValue: structure), kind: .put, expectation: .absent, key: .row(row),
          value: 0..<0))
    }
    batch.sort()
    #expect(batch.changes.map(\.structure.rawValue) == [1, 1, 2, 2])
    #expect(batch.changes.map(\.key) == [.row(1), .row(9), .row(3), .row(7)])
  }
}
