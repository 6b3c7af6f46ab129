import TestSupport
import Testing
import Todana

private class Plant: StoredObject {
  var name = ""
  override class var indexes: [Index] { [Index(\Plant.name, name: "name")] }
  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

private final class Tree: Plant {}

/// Pages that begin after an object with a pending change.
@Suite(.plainAndEncrypted) struct PendingPositionTests {
  let store: Store

  init() throws { store = try Store(backend: FaultyBackend(), classes: [Plant.self, Tree.self]) }

  private func pages(_ query: Query<Plant>, of size: Int, includingPending: Bool) throws -> [AnyObjectID] {
    var found: [AnyObjectID] = []
    var page = try store.fetch(query.limit(size), includingPending: includingPending)
    while let last = page.last, found.count < 1_000 {
      found += page.compactMap(\.anyID)
      page = try store.fetch(query.limit(size).after(last), includingPending: includingPending)
    }
    return found
  }

  @Test func `pages follow each other, whatever changes are pending`() throws {
    var random = SeededGenerator(seed: 1)
    for number in 0..<60 {
      let plant = number % 3 == 0 ? Tree() : Plant()
      plant.name = "plant \(number / 2)"
      try store.insert(plant)
    }
    try store.saveChanges()
    let plants = try store.fetch(Plant.all.includingSubclasses())
    for plant in plants where Bool.random(using: &random) {
      try store.update(plant) { $0.name = "plant \(Int.random(in: 0...30, using: &random))" }
    }
    for number in 0..<7 {
      let plant = number % 2 == 0 ? Tree() : Plant()
      plant.name = "plant \(number * 4)"
      try store.insert(plant)
    }
    for plant in plants.prefix(5) { try store.delete(plant) }
    for order in [SortOrder.ascending, .descending] {
      for query in [Plant.all, Plant.all.includingSubclasses()] {
        for size in [1, 2, 7] {
          for includingPending in [true, false] {
            let sorted = query.sorted(by: \.name, order, loading: \.self)
            let whole = try store.fetch(sorted, includingPending: includingPending).compactMap(\.anyID)
            let found = try pages(sorted, of: size, includingPending: includingPending)
            #expect(found == whole)
            let skipped = try store.fetch(sorted.offset(5).limit(size), includingPending: includingPending)
            #expect(skipped.compactMap(\.anyID) == Array(whole.dropFirst(5).prefix(size)))
          }
        }
      }
    }
    store.discardChanges()
  }
}
