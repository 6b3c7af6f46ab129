import TestSupport
import Testing
import Todana

/// What backends say of themselves is what they do.
@Suite struct CapabilityTests {
  @Test(arguments: TestedBackend.allCases)
  func `only a directory outlives the process`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let capabilities = store.backend.capabilities
    #expect(capabilities.isDurable == (kind.lasts))
    #expect(capabilities.durabilityLevels == (kind.lasts ? [.full, .relaxed, .bulk] : []))
    #expect(!capabilities.notifiesOfChanges)
  }

  @Test(arguments: TestedBackend.allCases)
  func `every level of durability may be asked for, and what is durable is there after opening again`(
    _ kind: TestedBackend
  ) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit(.full) { $0.put([1], row: 1, in: store.songs) }
    try store.backend.commit(.relaxed) { $0.put([2], row: 2, in: store.songs) }
    #expect(try store.backend.count(of: store.songs) == 2)
    guard store.backend.capabilities.isDurable else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.allRows(of: store.songs) == [1: [1], 2: [2]])
  }

  // Two ways to say the same thing are one value.
  @Test func `capabilities are compared by what they say`() {
    let one = BackendCapabilities(hasAtomicVisibility: true, notifiesOfChanges: false, durabilityLevels: [.full])
    var other = one
    #expect(other == one)
    other.durabilityLevels.insert(.relaxed)
    #expect(other != one)
    #expect(other.isDurable && one.isDurable)
  }
}
