// Visits to the objects of a query, whose closure changes the store.
import TestSupport
import Testing
import Todana

private final class Tile: StoredObject {
  var number = 0
  var rank = 0

  override class var indexes: [Index] { [Index(\Tile.rank)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    rank = try buffer.readInt()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeInt(rank)
  }
}

struct VisitingTests {
  enum Order: CaseIterable { case rows, index, sorted }
  enum Saving: CaseIterable { case never, each, some }

  private static func query(_ order: Order) -> Query<Tile> {
    switch order {
    case .rows: Tile.where { $0.number >= 0 }
    case .index: Tile.where { $0.rank >= 0 }.sorted(by: \.rank)
    case .sorted: Tile.where { $0.number >= 0 }.sorted(by: \.number)
    }
  }

  /// Whether all objects are in memory at the start, or only faults are made on the way.
  @Test(arguments: Order.allCases, Saving.allCases)
  func `objects that the closure deletes are not visited, and its other changes are kept`(
    order: Order, saving: Saving
  ) throws {
    for isLoaded in [false, true] {
      let first = try Store(.inMemory, classes: [Tile.self])
      for number in 0..<100 {
        let tile = Tile()
        (tile.number, tile.rank) = (number, number)
        try first.insert(tile)
      }
      try first.saveChanges()
      let store = try Store(backend: first.backend, classes: [Tile.self])
      let loaded = isLoaded ? try store.fetch(Tile.self) : []
      let ids = try store.ids(Tile.all)
      var visited: [Int] = []
      try store.forEach(Self.query(order)) { tile, stop in
        visited.append(tile.number)
        try store.update(tile) { $0.rank += 1000 }
        // Every third object is visited: the next two are deleted, one by its identity alone.
        if tile.number < 98, tile.number % 3 == 0 {
          if let next = try store.fetch(ids[tile.number + 1]) { try store.delete(next) }
          try store.delete([ids[tile.number + 2]])
        }
        let new = Tile()
        new.number = 1000 + tile.number
        try store.insert(new)
        if saving == .each || saving == .some && tile.number % 4 == 0 { try store.saveChanges() }
        stop = tile.number >= 90
      }
      #expect(visited == Array(stride(from: 0, through: 90, by: 3)))
      try store.saveChanges()
      let kept = visited.map { $0 + 1000 }
      #expect(try store.values(Tile.where { $0.number < 91 }, of: \.rank) == kept)
      #expect(try store.count(Tile.where { $0.number >= 1000 }) == visited.count)
      #expect(try store.verify().isSound)
      withExtendedLifetime(loaded) {}
    }
  }
}
