// Random queries over random objects, compared with filtering and sorting a plain array.
import TestSupport
import Testing
import Todana

@Suite struct QueryModelTests {
  private static let seeds: [UInt64] = LongTests.areEnabled ? Array(1...14) : [1, 2]
  private static let roundCount = LongTests.areEnabled ? 40 : 10

  @Test(arguments: seeds, EveryBackend.allCases)
  func `a query agrees with filtering and sorting all objects`(seed: UInt64, kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    defer { try? backend.close() }
    var walk = try Walk(seed: seed, backend: backend)
    for round in 0..<Self.roundCount {
      try walk.change()
      for _ in 0..<8 {
        let problem = try walk.compareQuery()
        #expect(problem == nil, "seed \(seed), round \(round): \(problem ?? "")")
        if problem != nil { return }
      }
    }
    #expect(try walk.store.verify().problems.isEmpty, "seed \(seed)")
    try walk.store.close(discarding: true)
  }

  private struct Walk {
    let store: Store
    var generator: QueryGenerator
    var tunes: [Piece] = []
    var saved: [PieceValues] = []
    var uniqueNumber = 0

    init(seed: UInt64, backend: any StoreBackend) throws {
      store = try Store(backend: backend, classes: [Piece.self, Disc.self])
      let store = store
      let albums = try (0..<3).map { number in
        let album = Disc()
        album.title = ["Kind of Blue", "Abbey Road", "Blue"][number]
        try store.insert(album)
        return album
      }
      try store.saveChanges()
      generator = QueryGenerator(generator: SeededGenerator(seed: seed), albums: albums)
    }

    mutating func change() throws {
      for _ in 0..<generator.number(30) {
        switch generator.number(6) {
        case 0, 1, 2:
          let tune = Piece()
          generator.fill(tune, uniqueNumber: &uniqueNumber)
          try store.insert(tune)
          tunes.append(tune)
        case 3, 4:
          guard !tunes.isEmpty else { continue }
          let tune = tunes[generator.number(tunes.count)]
          tune.willUpdate()
          generator.fill(tune, uniqueNumber: &uniqueNumber)
        default:
          guard !tunes.isEmpty else { continue }
          try store.delete(tunes.remove(at: generator.number(tunes.count)))
        }
      }
      // Many queries over few objects take little time.
      while tunes.count > 60 { try store.delete(tunes.remove(at: generator.number(tunes.count))) }
      if generator.number(3) > 0 {
        try store.saveChanges()
        saved = values
      }
    }

    private var values: [PieceValues] {
      tunes.map { PieceValues($0, rowID: $0.id?.rowID ?? 0) }.sorted { $0.rowID < $1.rowID }
    }

    /// Compares a random query with the model; returns a description of the first difference, or nil.
    mutating func compareQuery() throws -> String? {
      let includingPending = generator.number(3) > 0
      let condition = generator.condition()
      var query = Piece.where { _ in condition.condition }
      var expected = (includingPending ? values : saved).filter(condition.holds)
      var sorts: [ModelSort] = []
      for _ in 0..<generator.number(3) {
        let sort = generator.sort()
        sorts.append(sort)
        query = sort.add(query)
      }
      expected.sort { lhs, rhs in
        for sort in sorts {
          let order = sort.order(lhs, rhs)
          if order != 0 { return order < 0 }
        }
        return lhs.rowID < rhs.rowID
      }
      // An object with unsaved changes is placed by its current values.
      if includingPending, !expected.isEmpty, generator.number(4) == 0 {
        let place = generator.number(expected.count)
        let object = try #require(tunes.first { $0.id?.rowID == expected[place].rowID })
        query = query.after(object)
        expected.removeFirst(place + 1)
      }
      if generator.number(3) == 0 {
        let offset = generator.number(6)
        query = query.offset(offset)
        expected.removeFirst(min(offset, expected.count))
      }
      if generator.number(3) == 0 {
        let limit = generator.number(8)
        query = query.limit(limit)
        expected = Array(expected.prefix(limit))
      }
      let wanted = expected.map(\.rowID)
      let store = store
      let text = { "\(condition.text)\n\((try? store.explain(query))?.description ?? "")\nexpected \(wanted)" }
      let ids = try store.ids(query, includingPending: includingPending).map(\.rowID)
      if ids != wanted { return "ids \(ids) of \(text())" }
      let count = try store.count(query, includingPending: includingPending)
      if count != wanted.count { return "count \(count) of \(text())" }
      if try store.exists(query, includingPending: includingPending) == wanted.isEmpty { return "exists of \(text())" }
      let objects = try store.fetch(query, includingPending: includingPending).map { $0.id?.rowID ?? 0 }
      if objects != wanted { return "objects \(objects) of \(text())" }
      return try compareValues(of: query, expected, includingPending: includingPending).map { "\($0) of \(text())" }
    }

    /// Compares values that are read without objects, from an index alone if it has them; returns the first difference,
    /// or nil.
    private mutating func compareValues(
      of query: Query<Piece>, _ expected: [PieceValues], includingPending: Bool
    ) throws -> String? {
      switch generator.number(8) {
      case 0:
        let titles = try store.values(query, of: \.title, includingPending: includingPending)
        return titles.map { Array($0.utf8) } == expected.map { Array($0.title.utf8) } ? nil : "titles \(titles)"
      case 1:
        let seconds = try store.values(query, of: \.seconds, includingPending: includingPending)
        return seconds == expected.map(\.seconds) ? nil : "seconds \(seconds)"
      case 2:
        let sum = try store.sum(query, of: \.seconds, includingPending: includingPending)
        return sum == expected.reduce(0) { $0 + Int($1.seconds) } ? nil : "sum \(sum)"
      case 3:
        let least = try store.minimum(query, of: \.seconds, includingPending: includingPending)
        let greatest = try store.maximum(query, of: \.seconds, includingPending: includingPending)
        let wanted = expected.map(\.seconds)
        return least == wanted.min() && greatest == wanted.max() ? nil : "between \(least ?? 0) and \(greatest ?? 0)"
      case 4:
        let least = try store.minimum(query, of: \.genre, includingPending: includingPending)
        let greatest = try store.maximum(query, of: \.genre, includingPending: includingPending)
        let wanted = expected.compactMap(\.genre).map { Array($0.utf8) }
        let isRight =
          (least ?? nil).map { Array($0.utf8) } == wanted.min { $0.lexicographicallyPrecedes($1) }
          && (greatest ?? nil).map { Array($0.utf8) } == wanted.max { $0.lexicographicallyPrecedes($1) }
        return isRight ? nil : "from \(String(describing: least)) to \(String(describing: greatest))"
      case 5:
        let groups = try store.groups(query, by: \.genre, of: \.rating, includingPending: includingPending)
        let counts = Dictionary(grouping: expected) { $0.genre.map { Array($0.utf8) } }.mapValues(\.count)
        let found = groups.map { ($0.key.map { Array($0.utf8) }, $0.summary.count) }
        return Dictionary(found) { first, _ in first } == counts && found.count == counts.count
          ? nil : "groups \(found)"
      case 6:
        let titles = try store.distinctValues(query, of: \.title, includingPending: includingPending)
        let wanted = Set(expected.map { Array($0.title.utf8) })
        return Set(titles.map { Array($0.utf8) }) == wanted && titles.count == wanted.count ? nil : "titles \(titles)"
      default:
        return nil
      }
    }
  }
}
