import TestSupport
import Testing
import Todana

/// Levels of durability: every backend accepts all of them.
@Suite struct DurabilityLevelTests {
  @Test(arguments: TestedBackend.allCases)
  func `every durability level is accepted, and commits are there after reopening`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit(.full) { $0.put([1], row: 1, in: store.songs) }
    try store.backend.commit(.relaxed) { $0.put([2], row: 2, in: store.songs) }
    #expect(try store.backend.count(of: store.songs) == 2)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.allRows(of: store.songs) == [1: [1], 2: [2]])
  }
}
