// Results of queries other than objects: pages, values, sums, groups, changes.
import TestSupport
import Testing
import Todana

@Suite struct QueryResultTests {
  /// Makes a store of pieces with random content, and returns the pieces in the order of inserts.
  private func makeStore(_ count: Int = 200, seed: UInt64 = 3) throws -> (store: Store, pieces: [Piece]) {
    let store = try Store(.inMemory, classes: [Piece.self, Disc.self])
    let disc = Disc()
    try store.insert(disc)
    var generator = QueryGenerator(generator: SeededGenerator(seed: seed), albums: [disc])
    var number = 0
    var pieces: [Piece] = []
    for _ in 0..<count {
      let piece = Piece()
      generator.fill(piece, uniqueNumber: &number)
      try store.insert(piece)
      pieces.append(piece)
    }
    try store.saveChanges()
    return (store, pieces)
  }

  @Test func `pages that begin after the last object of the previous page return everything once`() throws {
    let (store, pieces) = try makeStore()
    let queries: [Query<Piece>] = [
      Piece.all, Piece.all.sorted(by: \.seconds), Piece.all.sorted(by: \.seconds, .descending),
      Piece.where { $0.genre == "a" }.sorted(by: \.title),
      Piece.where { $0.genre == "a" }.sorted(by: \.rating, .descending),
      Piece.where { $0.genre == "a" }.sorted(by: \.rating), Piece.all.sorted(by: \.title, .descending),
      Piece.all.sorted(byFolded: \.title), Piece.where { $0.seconds > 5 }.sorted(by: \.rating).sorted(by: \.title),
      Piece.where { $0.seconds == 5 }, Piece.where { $0.seconds > 3 && $0.isFavourite },
    ]
    for pending in [false, true] {
      if pending {
        for (number, piece) in pieces.enumerated() where number % 9 == 0 { try store.update(piece) { $0.seconds += 1 } }
      }
      for query in queries {
        let whole = try store.fetch(query).map { $0.id?.rowID ?? 0 }
        for size in [1, 7, 50] {
          var paged: [RowID] = []
          var page = try store.fetch(query.limit(size))
          while let last = page.last, paged.count <= whole.count {
            paged += page.map { $0.id?.rowID ?? 0 }
            page = try store.fetch(query.limit(size).after(last))
          }
          let plan = try store.explain(query.limit(size))
          #expect(paged == whole, "\(plan)")
        }
        if let middle = try store.fetch(query.offset(whole.count / 2)).first {
          #expect(try store.count(query.after(middle)) == whole.count - whole.count / 2 - 1)
        }
      }
    }
    try store.close(discarding: true)
  }

  @Test func `a stored position continues its query, and one of another order is an error`() throws {
    let (store, pieces) = try makeStore(20)
    let query = Piece.all.sorted(by: \.title)
    let position = try #require(query.position(of: pieces[3]))
    let ids = try store.ids(query.after(pieces[3]))
    #expect(try store.ids(query.after(position)) == ids)
    let error = #expect(throws: StoreError.self) { try store.fetch(Piece.all.after(position)) }
    #expect(error?.code == .invalidQuery)
    #expect(throws: StoreError.self) { try store.fetch(Piece.all.after(Piece())) }
    try store.close()
  }

  @Test func `values, sums and groups equal those of the objects`() throws {
    let (store, pieces) = try makeStore()
    try store.update(pieces[0]) { $0.seconds = 1000 }
    try store.delete(pieces[1])
    let living = [pieces[0]] + pieces[2...]
    let query = Piece.where { $0.seconds > 4 }
    let found = living.filter { $0.seconds > 4 }
    #expect(try store.values(query, of: \.seconds) == found.map(\.seconds))
    #expect(try store.values(query.sorted(by: \.seconds, .descending).limit(3), of: \.seconds).first == 1000)
    #expect(try store.values(query) { "\($0.seconds) \($0.title)" } == found.map { "\($0.seconds) \($0.title)" })
    #expect(try store.sum(query, of: \.seconds) == found.reduce(0) { $0 + Int($1.seconds) })
    #expect(
      try store.average(query, of: \.seconds) == Double(found.reduce(0) { $0 + Int($1.seconds) }) / Double(found.count))
    #expect(try store.minimum(query, of: \.seconds) == 5)
    #expect(try store.maximum(query, of: \.seconds) == 1000)
    #expect(try store.maximum(query, of: \.seconds, includingPending: false) == 19)
    #expect(
      try store.minimum(query, of: \.genre)
        == found.compactMap(\.genre).min { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    #expect(try store.average(Piece.where { $0.seconds > 2000 }, of: \.seconds) == nil)

    let groups = try store.groups(query, by: \.seconds)
    let expected = Dictionary(grouping: found, by: \.seconds).mapValues(\.count).sorted { $0.key < $1.key }
    #expect(groups.map(\.key) == expected.map(\.key))
    #expect(groups.map(\.count) == expected.map(\.value))
    #expect(try store.distinctValues(query, of: \.seconds) == expected.map(\.key))
    #expect(try store.distinctValues(Piece.all, of: \.genre).first == .some(nil))
    let sums = try store.groups(query, by: \.isFavourite, of: \.seconds)
    #expect(sums.map(\.key) == [false, true])
    #expect(sums.map(\.summary.count) == [false, true].map { key in found.count { $0.isFavourite == key } })
    #expect(sums.map(\.summary.maximum).contains(1000))
    try store.close(discarding: true)
  }

  @Test func `a sum that overflows is an error`() throws {
    final class Big: StoredObject {
      var number: UInt64 = .max
      override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readUInt64() }
      override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt64(number) }
    }
    let store = try Store(.inMemory, classes: [Big.self])
    try store.insert(Big())
    let error = #expect(throws: StoreError.self) { try store.sum(Big.all, of: \.number) }
    #expect(error?.code == .invalidQuery)
    try store.close(discarding: true)
  }

  @Test func `objects that a query finds are changed and deleted`() throws {
    let (store, pieces) = try makeStore()
    let long = Piece.where { $0.seconds >= 10 }
    let count = pieces.count { $0.seconds >= 10 }
    #expect(try store.update(long) { $0.seconds = 50 }.count == count)
    #expect(try store.count(Piece.where { $0.seconds == 50 }) == count)
    try store.saveChanges()
    #expect(try store.count(Piece.where { $0.seconds == 50 }, includingPending: false) == count)
    let ids = try store.delete(Piece.where { $0.seconds == 50 }.limit(7))
    #expect(ids.count == 7)
    try store.saveChanges()
    #expect(try store.count(Piece.self) == pieces.count - 7)
    #expect(try store.fetch(ids).allSatisfy { $0 == nil })
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  @Test func `an upsert inserts an object, or updates the object with the same value`() throws {
    let (store, pieces) = try makeStore(10)
    func make(_ isrc: String?, _ title: String) -> Piece {
      let piece = Piece()
      (piece.isrc, piece.title, piece.seconds) = (isrc, title, 77)
      return piece
    }
    let new = make("new", "First")
    #expect(try store.upsert(new, by: \.isrc) === new)
    #expect(try store.upsert(make("new", "Second"), by: \.isrc) === new)
    #expect(new.title == "Second")
    try store.saveChanges()
    #expect(try store.upsert(make("new", "Third"), by: \.isrc) { $0.title += " and " + $1.title } === new)
    #expect(new.title == "Second and Third")
    let none = make(nil, "None")
    #expect(try store.upsert(none, by: \.isrc) === none)
    try store.saveChanges()
    #expect(try store.count(Piece.self) == pieces.count + 2)
    try store.close()
  }

  @Test func `objects of a query are visited one by one`() throws {
    let (store, pieces) = try makeStore()
    var titles: [String] = []
    try store.forEach(Piece.where { $0.seconds < 5 }.sorted(by: \.title)) { piece, stop in
      titles.append(piece.title)
      stop = titles.count == 5
    }
    let expected = pieces.filter { $0.seconds < 5 }.map { Array($0.title.utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    #expect(titles.map { Array($0.utf8) } == Array(expected.prefix(5)))
    try store.close()
  }

  @Test func `an invalid query is an error`() throws {
    let (store, _) = try makeStore(5)
    var deep = Properties<Piece>().seconds == 1
    for number in 0..<10_000 { deep = number % 2 == 0 ? deep && !deep : deep || !deep }
    for query in [Piece.all.limit(-1), Piece.all.offset(-1), Piece.where { _ in deep }] {
      let error = #expect(throws: StoreError.self) { try store.fetch(query) }
      #expect(error?.code == .invalidQuery)
      #expect(throws: StoreError.self) { try store.count(query) }
    }
    let error = #expect(throws: StoreError.self) { try store.fetch(Piece.all.sorted(by: \.id)) }
    #expect(error?.code == .invalidQuery)
    #expect(try store.fetch(Piece.all.limit(0)).isEmpty)
    #expect(try store.fetch(Piece.all.offset(.max).limit(.max)).isEmpty)
    #expect(try store.fetch(Piece.all.sorted(by: \.title).limit(.max)).count == 5)
    #expect(throws: StoreError.self) { try store.fetch(Song.all) }
    try store.close()
  }

  @Test func `a store that refuses scans throws an error for a query without an index`() throws {
    var configuration = StoreConfiguration()
    configuration.scans = .refused(above: 10)
    let store = try Store(.inMemory, classes: [Piece.self, Disc.self], configuration: configuration)
    for number in 0..<200 {
      let piece = Piece()
      piece.seconds = UInt32(number)
      try store.insert(piece)
    }
    try store.saveChanges()
    #expect(try store.count(Piece.where { $0.seconds == 7 }) == 1)
    let error = #expect(throws: StoreError.self) { try store.count(Piece.where { $0.title.contains("x") }) }
    #expect(error?.code == .scanRefused)
    try store.close()
  }
}
