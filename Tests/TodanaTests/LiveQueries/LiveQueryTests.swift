// Live queries and notifications of commits.
import TestSupport
import Testing
import Todana

@Suite struct LiveQueryTests {
  /// A list that is changed only by the differences of a live query.
  private struct Follower {
    var list: [RowID] = []

    /// Applies a change; returns whether the list then equals the change's ids.
    mutating func follow(_ change: QueryChange<Piece>) -> Bool {
      let ids = change.ids.map(\.rowID)
      for index in change.deletions.reversed() { list.remove(at: index) }
      for index in change.insertions { list.insert(ids[index], at: index) }
      return list == ids
    }
  }

  private static let queries: [Query<Piece>] = [
    Piece.all, Piece.where { $0.seconds > 8 }, Piece.where { $0.genre == "a" || $0.isFavourite }.sorted(by: \.title),
    Piece.all.sorted(by: \.seconds, .descending).sorted(by: \.rating), Piece.all.sorted(by: \.title).limit(5),
    Piece.where { $0.seconds > 3 }.offset(3).limit(4), Piece.where { $0.album.title == "Blue" }.sorted(by: \.seconds),
  ]

  @Test(arguments: queries.indices, [UInt64](1...3))
  func `applying the differences gives the result of the query`(query index: Int, seed: UInt64) async throws {
    let query = Self.queries[index]
    let backend = try KyotoBackend(.inMemory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [Piece.self, Disc.self])
    let other = try Store(backend: backend, classes: [Piece.self, Disc.self])
    let discs = [Disc(), Disc()]
    for disc in discs { try store.insert(disc) }
    discs[0].title = "Blue"
    try store.saveChanges()
    var generator = QueryGenerator(generator: SeededGenerator(seed: seed), albums: discs)
    var number = 0
    var follower = Follower()
    var iterator = store.observe(query).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    let isRight = follower.follow(first)
    #expect(isRight)
    for round in 0..<40 {
      // The first change of each round adds a piece that matches every query, so that each observation has a change to
      // deliver.
      for count in 0...generator.number(6) {
        let pieces = try store.fetch(Piece.self)
        switch generator.number(4) {
        case _ where count == 0, 0:
          let piece = Piece()
          generator.fill(piece, uniqueNumber: &number)
          (piece.title, piece.seconds, piece.genre, piece.album, piece.isFavourite) = ("", 19, "a", discs[0], true)
          try store.insert(piece)
        case 1:
          guard let piece = pieces.randomElement(using: &generator.generator) else { continue }
          try store.update(piece) { generator.fill($0, uniqueNumber: &number) }
        case 2:
          guard let piece = pieces.randomElement(using: &generator.generator) else { continue }
          try store.delete(piece)
        default:
          // Commit through another store.
          try store.saveChanges()
          let piece = Piece()
          generator.fill(piece, uniqueNumber: &number)
          (piece.album, piece.isFavourite) = (nil, false)
          try other.insert(piece)
          try other.saveChanges()
        }
      }
      try store.saveChanges()
      while try store.ids(query).map(\.rowID) != follower.list {
        let change = try #require(try await iterator.next())
        let isRight = follower.follow(change)
        #expect(isRight, "seed \(seed), round \(round), query \(index)")
        #expect(try change.objects().map { $0.id?.rowID } == change.ids.map(\.rowID))
      }
    }
    try other.close()
    try store.close()
    do {
      _ = try await iterator.next()
      Issue.record("a live query of a closed store ends with an error")
    } catch {
      #expect((error as? StoreError)?.code == .closed)
    }
  }

  @Test func `a large result that changes again and again stays in order`() async throws {
    let store = try Store(.inMemory, classes: [Piece.self, Disc.self])
    defer { try? store.close() }
    let pieces = try (0..<3000).map { number in
      let piece = Piece()
      piece.title = "\(number * 7919 % 3000) of many titles that are long"
      try store.insert(piece)
      return piece
    }
    try store.saveChanges()
    let query = Piece.where { $0.title.hasSuffix("long") }.sorted(by: \.title)
    var follower = Follower()
    var iterator = store.observe(query).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    let isRight = follower.follow(first)
    #expect(isRight)
    // Each save changes few enough pieces for their keys to be moved one by one. All saves together change enough
    // pieces for the keys to be packed again.
    for round in 0..<8 {
      for piece in pieces[(round % 4 * 700)..<(round % 4 * 700 + 700)] {
        try store.update(piece) { $0.title = "\(round)\($0.title)" }
      }
      try store.saveChanges()
      let change = try #require(try await iterator.next())
      let isRight = follower.follow(change)
      #expect(isRight)
      #expect(change.updates.count == 700)
      #expect(try follower.list == store.ids(query).map(\.rowID), "round \(round)")
    }
  }

  @Test func `updates and moves are reported, and commits of others appear in the objects`() async throws {
    let backend = try KyotoBackend(.inMemory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [Piece.self, Disc.self])
    let other = try Store(backend: backend, classes: [Piece.self, Disc.self])
    var pieces: [Piece] = []
    for seconds in [10, 20, 30] {
      let piece = Piece()
      piece.seconds = UInt32(seconds)
      try store.insert(piece)
      pieces.append(piece)
    }
    try store.saveChanges()
    var iterator = store.observe(Piece.all.sorted(by: \.seconds)).makeAsyncIterator()
    _ = try await iterator.next()
    let id = try #require(pieces[0].id)
    let same = try #require(try other.fetch(id))
    try other.update(same) { $0.title = "New" }
    try other.saveChanges()
    let updated = try #require(try await iterator.next())
    #expect(updated.updates == [0])
    #expect(updated.insertions.isEmpty && updated.deletions.isEmpty)
    #expect(try updated.object(at: 0)?.title == "New")
    try other.update(same) { $0.seconds = 25 }
    try other.saveChanges()
    let moved = try #require(try await iterator.next())
    #expect(moved.moves.map(\.from) == [0] && moved.moves.map(\.to) == [1])
    #expect(moved.deletions == [0] && moved.insertions == [1] && moved.updates == [1])
    #expect(try moved.objects().map(\.seconds) == [20, 25, 30])
    try other.close()
    try store.close()
  }

  @Test func `bursts are combined, and changes that do not affect the query are not reported`() async throws {
    let store = try Store(.inMemory, classes: [Piece.self, Disc.self])
    var iterator = store.observe(Piece.where { $0.seconds == 7 }).makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.count == 0)
    for seconds in 0..<100 {
      let piece = Piece()
      piece.seconds = UInt32(seconds % 10)
      try store.insert(piece)
      try store.saveChanges()
      try store.insert(Disc())
      try store.saveChanges()
    }
    let change = try #require(try await iterator.next())
    #expect(change.count == 10)
    #expect(change.insertions == Array(0..<10))
    try store.close()
  }

  @Test func `commits of every store are reported with their changes`() async throws {
    let backend = try KyotoBackend(.inMemory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [Piece.self, Disc.self])
    let other = try Store(backend: backend, classes: [Piece.self, Disc.self])
    let commits = store.commits()
    let listener = Task { () -> [CommitChanges] in
      var heard: [CommitChanges] = []
      for await commit in commits { heard.append(commit) }
      return heard
    }
    let disc = Disc()
    try store.insert(disc)
    try store.saveChanges()
    let id = try #require(disc.id)
    let same = try #require(try other.fetch(id))
    try other.update(same) { $0.title = "x" }
    try other.saveChanges()
    try other.delete(same)
    try other.saveChanges()
    try store.close()
    try other.close()
    let heard = await listener.value
    #expect(heard.map(\.inserted) == [[id.untyped], [], []])
    #expect(heard.map(\.updated) == [[], [id.untyped], []])
    #expect(heard.map(\.deleted) == [[], [], [id.untyped]])
  }

  @Test func `cancelling ends the wait`() async throws {
    let store = try Store(.inMemory, classes: [Piece.self, Disc.self])
    let commits = store.commits()
    let listener = Task { for await _ in commits {} }
    try await Task.sleep(for: .milliseconds(20))
    listener.cancel()
    await listener.value
    try store.close()
  }
}

extension LiveQueryTests {
  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 50))
  func `applying many differences at once gives the result of the query`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try Store(.inMemory, classes: [Song.self])
    for number in 0..<3_000 {
      try store.insert(Song("song \(Int.random(in: 0...9, using: &random))", seconds: UInt32(number % 40)))
    }
    try store.saveChanges()
    for query in [
      Song.all, Song.where { $0.seconds < 30 }.sorted(by: \.title),
      Song.where { $0.seconds > 5 }.sorted(by: \.seconds, .descending).sorted(by: \.title),
    ] {
      var iterator = store.observe(query).makeAsyncIterator()
      var list = try #require(try await iterator.next()).ids
      for round in 0..<6 {
        let songs = try store.fetch(Song.self).shuffled(using: &random)
        let count = [3, 40, 300, 700].randomElement(using: &random) ?? 1
        for song in songs.prefix(count) {
          switch Int.random(in: 0...3, using: &random) {
          case 0: try store.delete(song)
          case 1: try store.update(song) { $0.genre = "other" }
          default:
            try store.update(song) {
              $0.title = "song \(Int.random(in: 0...9, using: &random))"
              $0.seconds = UInt32.random(in: 0...40, using: &random)
            }
          }
        }
        for _ in 0..<count / 2 { try store.insert(Song("song 5", seconds: UInt32.random(in: 0...40, using: &random))) }
        // This song is always part of the result.
        try store.insert(Song("", seconds: 20))
        try store.saveChanges()
        let change = try #require(try await iterator.next())
        let former = list
        for index in change.deletions.reversed() { list.remove(at: index) }
        for index in change.insertions { list.insert(change.ids[index], at: index) }
        let comment: Comment = "seed \(seed), round \(round)"
        #expect(list == change.ids, comment)
        #expect(try store.ids(query) == list, comment)
        for move in change.moves { #expect(former[move.from] == list[move.to], comment) }
        #expect(Set(change.updates.map { list[$0] }).isSubset(of: Set(former)), comment)
        #expect(change.updates == change.updates.sorted(), comment)
      }
    }
    try store.close()
  }
}
