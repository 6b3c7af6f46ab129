import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Members that lead nowhere, that are of unknown classes, or that are refused.
@Suite final class BagMemberTests {
  /// The stores of the test, which it uses until it ends.
  private var stores: [BagStores] = []

  private func makeStores(_ kind: EveryBackend = .inMemory) throws -> BagStores {
    let made = try BagStores(kind)
    stores.append(made)
    return made
  }

  @Test(arguments: EveryBackend.allCases)
  func `references that lead nowhere are skipped and removed with the next save`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let dropped = try store.documents("dropped")
    let songs = ["a", "b"].map { Song($0) }
    let bag = try Bag(name: "bag", objects: songs + [dropped.insert(["title": "document"])] as [StoredObject])
    try store.insert(bag)
    try store.saveChanges()
    try dropped.drop()
    #expect(bag.count == 3)
    #expect(try bag.titles() == ["a", "b"] && bag.count == 2)
    #expect(!bag.hasUnsavedChanges)
    let other = try stores.open()
    let same = try #require(try other.bag(named: "bag"))
    try same.inflate()
    #expect(try same.titles() == ["a", "b"] && same.count == 2)
    same.name = "renamed"
    try other.saveChanges()
    #expect(same.documentValue["members"]?.array?.count == 2)
    try bag.reload()
    #expect(bag.count == 2 && bag.name == "renamed")
    #expect(try other.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `members of classes that a store lacks stay in the bag`(kind: EveryBackend) throws {
    let stores = try makeStores(kind)
    let store = try stores.open()
    let bag = try Bag(name: "bag", objects: [Song("a")])
    try store.insert(bag)
    try store.saveChanges()
    let other = try stores.open([])
    let same = try #require(try other.bag(named: "bag"))
    #expect(try same.objects() == [] && same.count == 1)
    let document = try other.documents("songs").insert(["title": "document"])
    try same.add(document)
    try other.saveChanges()
    #expect(try same.titles() == ["document"] && same.copy().count == 1)
    try bag.reload()
    #expect(try bag.titles() == ["a", "document"])
    #expect(try other.verify().isSound && store.verify().isSound)
  }

  @Test func `objects that cannot be members are refused, and nothing changes`() throws {
    let (store, other) = (try makeStores().open(), try makeStores().open())
    let bag = Bag()
    try store.insert(bag)
    try store.saveChanges()
    let foreign = Song("foreign")
    try other.insert(foreign)
    func refused(_ code: StoreError.Code, _ body: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(error?.code == code)
    }
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: DocumentError.self) { try body() }
      #expect(error?.code == .invalidMember)
    }
    refused(.objectOfOtherStore) { try bag.add(foreign) }
    refused(.objectOfOtherStore) { try bag.add(contentsOf: [Song("new"), foreign]) }
    refused(.objectOfOtherStore) { _ = try store.bags(containing: foreign) }
    let deleted = Song("deleted")
    try store.insert(deleted)
    try store.saveChanges()
    try store.delete(deleted)
    refused { try bag.add(deleted) }
    refused { try bag.add(bag) }
    refused { try bag.add(Document(["title": "document"])) }
    refused(.objectOfOtherStore) { _ = try Bag(objects: [bag, foreign]) }
    final class Unlisted: StoredObject {}
    refused(.unknownClass) { try bag.add(contentsOf: [Song("new"), Unlisted()] as [StoredObject]) }
    let unsaved = try Bag(objects: [try Document(["title": "document"])])
    refused(.vetoed) { try store.insert(unsaved) }
    let mixed = try Bag(objects: [foreign])
    refused(.objectOfOtherStore) { try store.insert(mixed) }
    #expect(bag.count == 0 && !bag.contains(foreign) && !bag.hasUnsavedChanges)
    store.discardChanges()
    #expect(try store.bags() == [bag] && store.count(Song.self) == 1)
  }

  @Test func `bags may contain bags`() throws {
    let store = try makeStores().open()
    let inner = try Bag(name: "inner", objects: [Song("a")])
    let outer = try Bag(name: "outer", objects: [inner])
    try store.insert(outer)
    try inner.add(outer)
    try store.saveChanges()
    #expect(try store.bags(containing: inner) == [outer])
    #expect(try outer.objects() == [inner])
    try store.delete(inner)
    try store.saveChanges()
    #expect(try outer.objects() == [] && store.verify().isSound)
  }
}
