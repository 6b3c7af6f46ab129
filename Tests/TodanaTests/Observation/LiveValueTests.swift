import TestSupport
import Testing
import Todana

private final class Item: StoredObject {
  var number = 0
  override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readInt() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(number) }
}

@Suite(.timeLimit(.minutes(5)), .plainAndEncrypted) struct LiveValueTests {
  private let backend = FaultyBackend()
  private let store: Store
  private let other: Store
  private let classes: [StoredObject.Type] = [Item.self, Song.self, Playlist.self]

  init() throws {
    store = try Store(backend: backend, classes: classes)
    other = try Store(backend: backend, classes: classes)
    for number in 0..<10 {
      let item = Item()
      item.number = number
      try store.insert(item)
    }
    try store.saveChanges()
  }

  private func save(_ change: (Store) throws -> Void) throws {
    try change(other)
    try other.saveChanges()
  }

  private func insertItem() throws { try save { try $0.insert(Item()) } }

  @Test func `a count follows commits of every store, and leaves out equal values`() async throws {
    var counts = store.observe { try $0.count(Item.self) }.removingDuplicates().makeAsyncIterator()
    #expect(try await counts.next() == 10)
    try insertItem()
    #expect(try await counts.next() == 11)
    try save { try $0.update(try #require(try $0.fetch(Item.self).first)) { $0.number = 50 } }
    try store.insert(Item())
    try store.saveChanges()
    #expect(try await counts.next() == 12)
  }

  @Test func `changes of the content of fetched objects lead to a new value`() async throws {
    var items = store.observe { try $0.fetch(Item.where { $0.number > 7 }) }.makeAsyncIterator()
    #expect(try await items.next()?.map(\.number) == [8, 9])
    try save { try $0.update(try #require(try $0.first(Item.where { $0.number == 9 }))) { $0.number = 90 } }
    #expect(try await items.next()?.map(\.number) == [8, 90])
  }

  @Test func `several commits lead to one value`() async throws {
    var sums = store.observe { try $0.sum(Item.all, of: \.number) }.makeAsyncIterator()
    #expect(try await sums.next() == 45)
    for _ in 0..<5 { try save { store in try store.update(Item.all) { $0.number += 1 } } }
    #expect(try await sums.next() == 95)
  }

  @Test func `the closure runs only after commits that concern it`() async throws {
    var runs = 0
    let values = store.observe { store -> Int in
      runs += 1
      return try store.count(Item.where { $0.number > 3 })
    }
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == 6)
    for _ in 0..<20 { try save { try $0.insert(Song("x")) } }
    try save { try $0.writeNamedBuffer("x") { $0.writeInt(1) } }
    let item = Item()
    item.number = 9
    try save { try $0.insert(item) }
    #expect(try await iterator.next() == 7)
    #expect(runs == 2)
  }

  @Test func `one object is followed until it is deleted`() async throws {
    let id = try #require(try store.ids(Item.all).first)
    var objects = store.observe(id).makeAsyncIterator()
    #expect(try await objects.next()??.number == 0)
    try insertItem()
    try save { try $0.update(try #require(try $0.fetch(id))) { $0.number = 77 } }
    #expect(try await objects.next()??.number == 77)
    try save { try $0.delete([id]) }
    let last = try await objects.next()
    #expect(last == .some(nil))
  }

  @Test func `a named buffer is followed, and no other one`() async throws {
    var values = store.observe { try $0.readNamedBuffer("mine") { try $0.readInt() } }.makeAsyncIterator()
    #expect(try await values.next() == .some(nil))
    try save { try $0.writeNamedBuffer("other") { $0.writeInt(1) } }
    try save { try $0.writeNamedBuffer("mine") { $0.writeInt(2) } }
    #expect(try await values.next() == 2)
    try other.writeNamedBuffer("mine", immediately: true) { $0.writeInt(3) }
    #expect(try await values.next() == 3)
    var names = store.observe { try $0.namedBufferNames() }.makeAsyncIterator()
    #expect(try await names.next() == ["mine", "other"])
    try save { try $0.removeNamedBuffer("other") }
    #expect(try await names.next() == ["mine"])
  }

  @Test func `objects that are reached through references count, even if they are in memory`() async throws {
    let playlist = Playlist()
    playlist.songs = [Song("a"), Song("b")]
    try store.insert(contentsOf: playlist.songs)
    let id = try store.insert(playlist)
    try store.saveChanges()
    let songID = try #require(playlist.songs[1].id)
    let values = store.observe { store -> [String] in
      let playlist = try store.fetch(id)
      try store.load(playlist?.songs ?? [])
      return playlist?.songs.map(\.title) ?? []
    }
    var titles = values.makeAsyncIterator()
    #expect(try await titles.next() == ["a", "b"])
    try save { try $0.update(try #require(try $0.fetch(songID))) { $0.title = "changed" } }
    #expect(try await titles.next() == ["a", "changed"])
  }

  @Test func `a class that is read only later is followed from then on`() async throws {
    var values = store.observe { store -> Int in
      try store.count(Item.self) > 10 ? try store.count(Song.self) : -1
    }.makeAsyncIterator()
    #expect(try await values.next() == -1)
    try save { try $0.insert(Song("before")) }
    try insertItem()
    #expect(try await values.next() == 1)
    try save { try $0.insert(Song("after")) }
    #expect(try await values.next() == 2)
  }

  @Test func `errors of the closure, closing and cancelling end the sequence`() async throws {
    struct Refused: Error {}
    var failing = store.observe { _ -> Int in throw Refused() }.makeAsyncIterator()
    await #expect(throws: Refused.self) { try await failing.next() }
    let closing = try Store(backend: backend, classes: classes)
    var counts = closing.observe { try $0.count(Item.self) }.makeAsyncIterator()
    #expect(try await counts.next() == 10)
    try closing.close()
    await #expect(throws: StoreError.self) { try await counts.next() }
  }

  @Test func `an actor's results are observed from another domain`() async throws {
    let library = try StoreActor(backend: backend, classes: classes)
    let rows = library.observe(Item.where { $0.number >= 8 }.sorted(by: \.number), map: { $0.number })
    var iterator = rows.makeAsyncIterator()
    #expect(try await iterator.next() == [8, 9])
    let item = Item()
    item.number = 20
    try save { try $0.insert(item) }
    #expect(try await iterator.next() == [8, 9, 20])
    try await library.perform { store in
      _ = try store.update(Item.where { $0.number == 9 }) { $0.number = 30 }
      try store.saveChanges()
    }
    #expect(try await iterator.next() == [8, 20, 30])
    var second = rows.makeAsyncIterator()
    #expect(try await second.next() == [8, 20, 30])
  }
}
