import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// The operations of NanoStore's bags, over every backend.
@Suite final class NanoStoreBagTests {
  /// The stores of the test, which it uses until it ends.
  private var stores: [BagStores] = []

  private func makeStores(_ kind: EveryBackend = .inMemory) throws -> BagStores {
    let made = try BagStores(kind)
    stores.append(made)
    return made
  }

  @Test(arguments: EveryBackend.allCases)
  func `bags are made with and without a name and members, unsaved, and names may repeat`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    let song = Song("So What")
    let bags = [Bag(), Bag(name: "a"), try Bag(objects: [song]), try Bag(name: "a", objects: [song, song])]
    #expect(bags.map(\.name) == [nil, "a", nil, "a"])
    #expect(bags.map(\.count) == [0, 0, 1, 1])
    #expect(bags.map(\.isEmpty) == [true, true, false, false])
    #expect(Set(bags.map(\.key)).count == 4)
    for bag in bags {
      #expect(bag.hasUnsavedChanges)
      try store.insert(bag)
    }
    try store.saveChanges()
    #expect(bags.map(\.hasUnsavedChanges) == [false, false, false, false])
    #expect(try store.bags() == bags)
    #expect(try store.count(Song.self) == 1)
  }

  @Test(arguments: EveryBackend.allCases)
  func `members are added and removed one by one and many at once, and stay in the store`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    let songs = ["a", "b", "c", "d", "e"].map { Song($0) }
    let bag = Bag(name: "songs")
    try bag.add(songs[0])
    try store.insert(bag)
    try bag.add(contentsOf: songs)
    try bag.add(songs[4])
    #expect(bag.count == 5)
    let document = try store.documents("songs").insert(["title": "document"])
    try bag.add(document)
    #expect(bag.contains(document))
    try store.saveChanges()
    #expect(try bag.titles() == ["a", "b", "c", "d", "document", "e"])
    try bag.remove(songs[0])
    try bag.remove(songs[0])
    try bag.remove(contentsOf: [songs[1]])
    try bag.remove(try #require(songs[2].anyID))
    try bag.remove(contentsOf: [songs[3], document].compactMap(\.anyID))
    #expect(try bag.titles() == ["e"])
    #expect(!bag.contains(songs[3]) && bag.contains(songs[4]))
    try bag.removeAll()
    #expect(try bag.isEmpty && bag.objects().isEmpty)
    try store.saveChanges()
    #expect(try store.count(Song.self) == 5)
    #expect(try store.documents("songs").count() == 1)
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `one save writes a bag and its new members in one commit`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let bag = try Bag(name: "new", objects: [Song("a"), Song("b")])
    try store.insert(bag)
    #expect(try store.count(Song.self) == 2)
    try bag.add(Song("c"))
    // The other store is opened before there are bags.
    let other = try stores.open()
    #expect(try other.bags() == [])
    try store.saveChanges()
    #expect(try other.bag(key: bag.key)?.titles() == ["a", "b", "c"])
    try bag.add(Song("d"))
    store.discardChanges()
    #expect(try bag.titles() == ["a", "b", "c"])
    #expect(try store.count(Song.self) == 3)
  }

  @Test(arguments: EveryBackend.allCases)
  func `reload reads the saved members again and keeps unsaved changes`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let (store, other) = (try stores.open(), try stores.open())
    let songs = ["a", "b", "c", "d"].map { Song($0) }
    try store.insert(contentsOf: songs)
    let bag = try Bag(name: "bag", objects: songs[..<3])
    try store.insert(bag)
    try store.saveChanges()
    let theirs = try #require(try other.bag(named: "bag"))
    // A clean bag.
    try theirs.remove(try #require(songs[2].anyID))
    try other.saveChanges()
    #expect(bag.count == 3)
    try bag.reload()
    #expect(try bag.titles() == ["a", "b"] && !bag.hasUnsavedChanges)
    // A bag with changes.
    try bag.add(songs[3])
    try bag.add(Song("new"))
    try bag.remove(songs[0])
    let foreign = Song("foreign")
    try theirs.add(foreign)
    try theirs.remove(try #require(songs[1].anyID))
    try other.saveChanges()
    try bag.reload()
    #expect(try bag.titles() == ["d", "foreign", "new"])
    #expect(bag.unsavedAdditions.compactMap { ($0 as? Song)?.title }.sorted() == ["d", "new"])
    #expect(bag.unsavedRemovals == [songs[0].anyID])
    #expect(bag.hasUnsavedChanges)
    // The other store's change is no conflict any more.
    try store.saveChanges()
    #expect(!bag.hasUnsavedChanges && bag.unsavedAdditions.isEmpty && bag.unsavedRemovals.isEmpty)
    try theirs.reload()
    #expect(try theirs.titles() == ["d", "foreign", "new"])
    try Bag().reload()
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `undoing the changes of a bag drops additions, removals and the name`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    let songs = ["a", "b", "c"].map { Song($0) }
    let bag = try Bag(name: "bag", objects: songs[..<2])
    try bag.undoChanges()
    #expect(bag.isEmpty)
    try bag.add(contentsOf: songs[..<2])
    try store.insert(bag)
    try store.saveChanges()
    try bag.add(songs[2])
    try bag.remove(songs[0])
    bag.name = "other"
    try bag.undoChanges()
    #expect(try bag.titles() == ["a", "b"] && bag.name == "bag" && !bag.hasUnsavedChanges)
    // The song was inserted, and a deleted one stays out.
    #expect(store.hasUnsavedChanges && songs[2].id != nil)
    try store.delete(songs[1])
    try bag.undoChanges()
    #expect(try bag.titles() == ["a"] && bag.count == 1)
    try store.saveChanges()
    #expect(try store.count(Song.self) == 2)
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `a deflated bag holds no members, and inflating loads them`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let bag = try Bag(name: "bag", objects: [Song("a"), Song("b")])
    try store.insert(bag)
    bag.deflate()
    #expect(try bag.titles() == ["a", "b"])
    try store.saveChanges()
    bag.deflate()
    #expect(bag.count == 2 && !bag.hasUnsavedChanges)
    try bag.inflate()
    weak let member = try bag.objects().compactMap { $0 as? Song }.first { $0.title == "a" }
    #expect(member?.isFault == false)
    let held = try #require(try bag.objects().compactMap { $0 as? Song }.first { $0.title == "b" })
    bag.deflate()
    #expect(member == nil)
    #expect(bag.count == 2 && !held.isFault && held.title == "b")
    // A pending member is the same one afterwards.
    try store.update(held) { $0.title = "changed" }
    bag.deflate()
    #expect(try bag.titles() == ["a", "changed"])
    #expect(!bag.hasUnsavedChanges)
  }

  @Test(arguments: EveryBackend.allCases)
  func `bags have a count, a key, a copy, a comparison and a dictionary`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let song = Song("a")
    let bag = try Bag(name: "bag", objects: [song])
    let key = bag.key
    try store.insert(bag)
    try store.saveChanges()
    #expect(bag.key == key)
    try store.turnIntoFault(bag)
    #expect(bag.count == 1 && bag.key == key && bag.name == "bag")
    let copy = try bag.copy()
    #expect(copy.store == nil && copy.key != key && copy.name == "bag" && copy.count == 1)
    try store.insert(copy)
    #expect(try bag.hasSameContent(as: copy))
    try store.saveChanges()
    #expect(try bag.hasSameContent(as: copy) && copy.hasSameContent(as: bag))
    copy.name = "copy"
    #expect(try !bag.hasSameContent(as: copy))
    #expect(copy.hasUnsavedChanges && !bag.hasUnsavedChanges)
    copy.name = "bag"
    #expect(!copy.hasUnsavedChanges)
    try copy.remove(song)
    #expect(try !bag.hasSameContent(as: copy))
    let id = try #require(song.anyID).description
    #expect(bag.documentValue == ["name": "bag", "key": .init(key), "members": [.init(id)]])
    #expect(Bag().documentValue["name"] == .null)
    #expect(bag.description == "Bag \(try #require(bag.anyID)) \"bag\" (1 members)")
    let other = try stores.open()
    #expect(try other.bag(key: key)?.hasSameContent(as: bag) == true)
    #expect(try makeStores(kind).open().bag(key: key) == nil)
  }

  @Test(arguments: EveryBackend.allCases)
  func `bags are found by name, by key and by member`(kind: EveryBackend) throws {
    let store = try makeStores(kind).open()
    let songs = ["a", "b"].map { Song($0) }
    #expect(try store.bags(containing: songs[0]) == [])
    let bags = [
      try Bag(name: "x", objects: songs), try Bag(name: "y", objects: [songs[0]]), Bag(name: "x"), Bag(),
    ]
    for bag in bags { try store.insert(bag) }
    for _ in 0..<2 {
      #expect(try store.bags() == bags)
      #expect(try store.bags(named: "x") == [bags[0], bags[2]])
      #expect(try store.bag(named: "x") === bags[2])
      #expect(try store.bag(named: "z") == nil)
      #expect(try store.bags(withKeys: [bags[1].key, UUID(), bags[0].key]) == [bags[1], bags[0]])
      #expect(try store.bag(key: bags[3].key) === bags[3])
      #expect(try store.bags(containing: songs[0]) == [bags[0], bags[1]])
      #expect(try store.bags(containing: songs[1]) == [bags[0]])
      try store.saveChanges()
    }
    try bags[2].add(songs[1])
    try bags[0].remove(songs[1])
    #expect(try store.bags(containing: songs[1]) == [bags[2]])
  }

  @Test(arguments: EveryBackend.allCases)
  func `an object that is deleted leaves all bags, loaded or not, in every store`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let songs = ["a", "b", "c"].map { Song($0) }
    let document = try store.documents("songs").insert(["title": "document"])
    let bag = try Bag(name: "bag", objects: songs + [document] as [StoredObject])
    try store.insert(bag)
    try store.insert(try Bag(name: "second", objects: songs))
    try store.saveChanges()
    try store.delete(songs[0])
    #expect(try bag.titles() == ["b", "c", "document"] && bag.count == 3)
    try store.saveChanges()
    // Another store, which has loaded no bag and lists none.
    let other = try stores.open()
    try other.delete([try #require(songs[1].id)])
    try other.documents("songs").delete(where: "[title] = ?", "document")
    try other.saveChanges()
    #expect(try other.bags().map { try $0.titles() } == [["c"], ["c"]])
    try bag.reload()
    #expect(try bag.titles() == ["c"] && bag.count == 1)
    #expect(try other.verify().isSound)
  }
}
