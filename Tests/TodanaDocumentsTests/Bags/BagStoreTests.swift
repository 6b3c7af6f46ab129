import Foundation
import TestSupport
import Testing

@testable import Todana
@testable import TodanaDocuments

/// Bags in a store: their registration, other stores, taking back changes, and bad input.
@Suite final class BagStoreTests {
  /// The stores of the test, which it uses until it ends.
  private var stores: [BagStores] = []

  private func makeStores(_ kind: EveryBackend = .inMemory) throws -> BagStores {
    let made = try BagStores(kind)
    stores.append(made)
    return made
  }

  private struct Refusal: Error {}

  @Test(arguments: EveryBackend.allCases, [true, false])
  func `bags need not be listed when a store is opened, but may be`(kind: EveryBackend, isListed: Bool) throws {
    let stores = try makeStores(kind)
    let store = try stores.open(isListed ? [Bag.self, Song.self] : [Song.self])
    let early = try stores.open()
    let song = Song("a")
    let bag = try Bag(name: "bag", objects: [song])
    try store.insert(bag)
    try store.saveChanges()
    #expect(store.registry[Bag.self] != nil && (early.registry[Bag.self] != nil) == isListed)
    // A store that was opened before there were bags, and has not used any, obeys the rule.
    try early.delete([try #require(song.id)])
    try early.saveChanges()
    #expect(try early.verify().isSound)
    try bag.reload()
    #expect(bag.count == 0)
    // A store that is opened later finds the class.
    let later = try stores.open([])
    #expect(later.registry[Bag.self] != nil)
    #expect(try stores.open([Bag.self]).bags().count == 1)
  }

  @Test func `a class that is registered later has its indexes and relationships`() throws {
    let store = try makeStores().open([])
    #expect(throws: StoreError.self) { try store.count(Song.self) }
    try store.register(Song.self)
    try store.register(Song.self)
    try store.insert(Song("a"))
    try store.saveChanges()
    #expect(try store.count(Song.self) == 1)
    #expect(throws: StoreError.self) { try store.register(Document.self) }
    #expect(throws: StoreError.self) { try store.register(StoredObject.self) }
    try store.delete(store.fetch(Song.self))
    try store.saveChanges()
    #expect(try store.catalog[Song.self] != nil)
    try store.close()
    #expect(throws: StoreError.self) { try store.bags() }
  }

  @Test(arguments: EveryBackend.allCases)
  func `two stores that change one bag meet a conflict`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let (mine, theirs) = (try stores.open(), try stores.open())
    let bag = try Bag(name: "bag", objects: [Song("a")])
    try mine.insert(bag)
    try mine.saveChanges()
    try bag.add(Song("mine"))
    try #require(try theirs.bag(named: "bag")).add(Song("theirs"))
    try theirs.saveChanges()
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == [bag.anyID].compactMap(\.self))
    try mine.refresh(keeping: .theirs)
    #expect(try bag.titles() == ["a", "theirs"])
    try bag.add(Song("second"))
    let same = try #require(try theirs.bag(named: "bag"))
    try same.add(Song("third"))
    try theirs.saveChanges()
    try bag.reload()
    try mine.saveChanges()
    #expect(try bag.titles() == ["a", "second", "theirs", "third"])
    // Another store deletes the bag.
    try same.reload()
    try theirs.delete(same)
    try theirs.saveChanges()
    #expect(throws: StoreError.self) { try bag.reload() }
    #expect(try theirs.bags() == [])
    #expect(try theirs.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `a delete in one store and an addition in another are a conflict`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let (mine, theirs) = (try stores.open(), try stores.open())
    let song = Song("a")
    let bag = Bag()
    try mine.insert(song)
    try mine.insert(bag)
    try mine.saveChanges()
    try bag.add(song)
    try theirs.delete([try #require(song.id)])
    try theirs.saveChanges()
    #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(bag.count == 0)
    #expect(try mine.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `savepoints, discards and undoing take back the changes of bags`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    store.undoStack = UndoStack()
    let songs = ["a", "b"].map { Song($0) }
    let bag = try Bag(name: "bag", objects: songs)
    try store.insert(bag)
    try store.saveChanges()
    #expect(throws: Refusal.self) {
      try store.savepoint {
        try bag.add(Song("c"))
        try bag.remove(songs[0])
        try store.delete(songs[1])
        #expect(try bag.titles() == ["c"])
        throw Refusal()
      }
    }
    #expect(try bag.titles() == ["a", "b"] && !bag.hasUnsavedChanges)
    try bag.remove(songs[0])
    #expect(throws: Refusal.self) {
      try store.savepoint {
        try bag.add(Song("c"))
        throw Refusal()
      }
    }
    #expect(try bag.titles() == ["b"] && bag.unsavedRemovals == [songs[0].anyID])
    store.discardChanges()
    #expect(try bag.titles() == ["a", "b"])
    // Undoing.
    try store.undoGroup("Add") {
      try bag.add(Song("c"))
      bag.name = "other"
    }
    try store.saveChanges()
    try store.undoGroup("Delete") { try store.delete(songs[0]) }
    try store.saveChanges()
    #expect(try bag.titles() == ["b", "c"])
    try store.undo()
    #expect(try bag.titles() == ["a", "b", "c"] && bag.hasUnsavedChanges)
    #expect(bag.unsavedAdditions == [songs[0]])
    try store.undo()
    #expect(try bag.titles() == ["a", "b"] && bag.name == "bag")
    try store.redo()
    try store.saveChanges()
    #expect(try bag.titles() == ["a", "b", "c"] && bag.name == "other" && !bag.hasUnsavedChanges)
    // Undoing the changes of the bag is a change.
    try bag.remove(songs[1])
    try bag.undoChanges()
    #expect(try bag.titles() == ["a", "b", "c"])
    try store.saveChanges()
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `a bag that was deleted or never saved can be inserted again`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    let song = Song("a")
    let bag = try Bag(name: "bag", objects: [song])
    try store.insert(bag)
    store.discardChanges()
    #expect(bag.store == nil && song.store == nil && bag.count == 1)
    try store.insert(bag)
    try store.saveChanges()
    let key = bag.key
    try store.delete(bag)
    #expect(try store.bags() == [])
    try store.saveChanges()
    #expect(bag.store == nil && bag.hasUnsavedChanges)
    #expect(try bag.titles() == ["a"])
    try store.insert(bag)
    try store.saveChanges()
    #expect(try store.bag(key: key) === bag)
    #expect(try bag.titles() == ["a"])
    try store.delete(song)
    try store.delete(bag)
    try store.saveChanges()
    #expect(try bag.titles() == [])
    let other = try makeStores(kind).open()
    let second = try Bag(objects: [Song("b")])
    try store.insert(second)
    try store.saveChanges()
    try store.delete(second)
    try store.saveChanges()
    #expect(throws: StoreError.self) { try other.insert(second) }
    #expect(try store.verify().isSound)
  }

  @Test func `the format document has the bytes of a bag`() throws {
    let store = try makeStores().open()
    let songs = ["a", "b"].map { Song($0) }
    try store.insert(contentsOf: songs)
    let bag = try Bag(name: "mix", objects: songs)
    try store.insert(bag)
    bag.storedKey = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    try store.saveChanges()
    let document = try Checkout.text("docs/formats/bags.md")
    let example = try #require(document.components(separatedBy: "```").dropFirst().first)
    let bytes = example.split(separator: "\n").flatMap { line in
      (line.components(separatedBy: "  ").first ?? "").split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    let id = try #require(bag.anyID)
    let record = try #require(try store.rawRecord(ofClassNamed: "TodanaDocuments.Bag", rowID: id.rowID))
    #expect(record.content == bytes)
  }

  @Test(arguments: [
    [0x00] + [UInt8](repeating: 1, count: 16) + [2, 2, 2, 2, 1],
    [0x00] + [UInt8](repeating: 1, count: 16) + [2, 2, 1, 2, 1],
    [0x00] + [UInt8](repeating: 1, count: 16) + [1, 0, 1], [0x00] + [UInt8](repeating: 1, count: 16) + [1, 2, 0],
    [0x00] + [UInt8](repeating: 1, count: 16) + [0xFF, 0xFF, 0xFF, 0x7F], [0x01, 0x05, 0x41], [0x02],
  ])
  func `damaged contents of bags are refused`(content: [UInt8]) throws {
    var buffer = DataBuffer(reading: content)
    #expect(throws: DataBufferError.self) {
      try Bag().readContent(from: &buffer)
      try buffer.finishReading()
    }
  }
}
