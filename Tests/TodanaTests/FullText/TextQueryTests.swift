import TestSupport
import Testing
import Todana

/// Text conditions in all kinds of queries: groups, live results, references, and records that cannot be read.
@Suite struct TextQueryTests {
  /// A tune whose record cannot be read if its title has a skull.
  class Tune: StoredObject {
    var title = ""
    var genre: String?
    var disc: Disc?

    convenience init(_ title: String, _ genre: String? = nil, on disc: Disc? = nil) {
      self.init()
      (self.title, self.genre, self.disc) = (title, genre, disc)
    }

    override class var textIndexes: [TextIndex] { [TextIndex(\Tune.title, name: "title")] }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      genre = try buffer.readOptionalString()
      disc = try buffer.readReference(Disc.self)
      if title.contains("☠") { throw UnreadableTitle() }
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeOptionalString(genre)
      buffer.writeReference(disc)
    }
  }

  struct UnreadableTitle: Error {}

  private let backend: KyotoBackend
  private let store: Store

  init() throws {
    backend = try KyotoBackend(.inMemory)
    store = try Store(backend: backend, classes: [Tune.self, Disc.self])
  }

  /// Saves tunes, and returns a store that has not loaded them.
  private func saved(_ tunes: [Tune]) throws -> Store {
    try store.insert(contentsOf: tunes)
    try store.saveChanges()
    return try Store(backend: backend, classes: [Tune.self, Disc.self])
  }

  @Test func `objects are grouped, and values are read`() throws {
    let store = try saved([
      Tune("blue sky", "Jazz"), Tune("blue sea", "Pop"), Tune("Blue", "Jazz"), Tune("green", "Jazz"),
    ])
    let query = Tune.where { $0.title.matches(.word("blue")) }
    #expect(try store.groups(query, by: \.genre).map { "\($0.key ?? "") \($0.count)" } == ["Jazz 2", "Pop 1"])
    #expect(try store.values(query, of: \.title) == ["blue sky", "blue sea", "Blue"])
    let indexed = Tune.where { $0.matches("blue s", in: "title") }.sorted(by: .relevance)
    #expect(try store.groups(indexed, by: \.genre).map(\.count) == [1, 1])
    #expect(try store.values(indexed, of: \.title) == ["blue sky", "blue sea"])
  }

  @Test func `asynchronous queries have the same results`() async throws {
    try store.insert(contentsOf: [Tune("blue"), Tune("blue blue"), Tune("green")])
    let query = Tune.where { $0.matches("blue", in: "title") }.sorted(by: .relevance)
    #expect(try await store.fetchAsync(query).map(\.title) == ["blue blue", "blue"])
    #expect(try await store.countAsync(query) == 2)
    try store.saveChanges()
    #expect(try await store.valuesAsync(query, of: \.title) == ["blue blue", "blue"])
  }

  @Test func `a live result follows its texts`() async throws {
    let query = Tune.where { $0.title.matches(.word("blue") && !.word("sea")) }
    var changes = store.observe(query).makeAsyncIterator()
    #expect(try await changes.next()?.count == 0)
    let tune = Tune("Blue")
    try store.insert(contentsOf: [tune, Tune("blue sea")])
    try store.saveChanges()
    let inserted = try #require(try await changes.next())
    #expect(try inserted.objects().map(\.title) == ["Blue"])
    try store.update(tune) { $0.title = "Blue sea" }
    try store.saveChanges()
    let removed = try #require(try await changes.next())
    #expect(removed.count == 0 && removed.deletions == [0])
  }

  @Test func `texts of other objects are searched`() throws {
    let disc = Disc()
    disc.title = "Kind of Blue"
    try self.store.insert(disc)
    let store = try saved([Tune("So What", on: disc), Tune("Nardis"), Tune("Blue in Green", on: disc)])
    let query = Tune.where { $0.disc.title.matches("blue") }
    #expect(try store.fetch(query).map(\.title) == ["So What", "Blue in Green"])
    #expect(try store.fetch(Tune.where { !$0.disc.title.matches("blue") }).map(\.title) == ["Nardis"])
    let both = Tune.where { $0.disc.title.matches("blue") || $0.title.matches("blue") }.sorted(by: .relevance)
    #expect(try store.fetch(both).map(\.title) == ["Blue in Green", "So What"])
    #expect(try store.hits(both).map { $0.score > 0 } == [true, true])
  }

  @Test func `a record that cannot be read is reported once, and hides nothing`() throws {
    let store = try saved([Tune("blue"), Tune("blue ☠"), Tune("blue blue"), Tune("☠")])
    let query = Tune.where { $0.matches("blue", in: "title") }
    for sorted in [query, query.sorted(by: .relevance)] {
      var errors: [StoreError] = []
      let hits = try store.hits(sorted, onDamage: .report { errors.append($0) })
      #expect(Set(hits.map(\.object.title)) == ["blue", "blue blue"])
      #expect(errors.map(\.rowID).sorted { ($0 ?? 0) < ($1 ?? 0) } == [2, 4])
      errors = []
      #expect(try store.fetch(sorted, onDamage: .report { errors.append($0) }).count == 2)
      #expect(errors.count == 2)
      #expect(throws: StoreError.self) { try store.fetch(sorted) }
      #expect(throws: StoreError.self) { try store.hits(sorted) }
    }
    var errors: [StoreError] = []
    let suggestions = try store.suggestions(
      for: "bl", of: Tune.self, in: "title", onDamage: .report { errors.append($0) })
    #expect(suggestions.map(\.count) == [2])
    #expect(errors.count == 2)
  }

  @Test func `invalid UTF-8 in a record is reported`() throws {
    final class Raw: StoredObject {
      var title = ""
      override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
      override func writeContent(to buffer: inout DataBuffer) {
        // The form of a text, with a byte that begins no character.
        buffer.writeBytes([0x41, 0xFF])
      }
    }
    try store.close()
    let writer = try Store(backend: backend, classes: [Raw.self])
    try writer.insert(Raw())
    try writer.saveChanges()
    let reader = try Store(backend: backend, classes: [Raw.self])
    var errors: [StoreError] = []
    let query = Raw.where { $0.title.matches(.substring("")) }
    #expect(try reader.fetch(query, onDamage: .report { errors.append($0) }).isEmpty)
    #expect(errors.map(\.rowID) == [1])
  }

  @Test func `a text of ten megabytes is searched`() throws {
    let text = String(repeating: "Écoute 文件 ", count: 600_000) + "needle"
    try store.insert(Tune(text))
    let hits = try store.hits(Tune.where { $0.title.matches("NEEDLE") })
    #expect(hits.count == 1)
    #expect(hits[0].ranges(in: \.title).map { String(text[$0]) } == ["needle"])
    #expect(hits[0].snippet(of: \.title, open: "[", close: "]", length: 20).contains("[needle]"))
    #expect(try store.hits(Tune.where { $0.title.matches("文件") })[0].ranges(in: \.title).count == 600_000)
  }
}
