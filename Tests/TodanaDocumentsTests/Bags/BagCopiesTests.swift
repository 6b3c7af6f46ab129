import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Bags in dumps, backups and salvaged stores, and in asynchronous calls.
@Suite final class BagCopiesTests {
  private let directory: TemporaryDirectory
  private let store: Store
  private let bag: Bag
  private let key: UUID

  init() throws {
    directory = try TemporaryDirectory()
    store = try Store(.directory(directory.path("Store.todana")), classes: [Song.self])
    bag = try Bag(name: "bag", objects: [Song("a"), Song("b")])
    key = bag.key
    try store.insert(bag)
    try bag.add(store.documents("songs").insert(["title": "document"]))
    try store.saveChanges()
  }

  private func check(_ path: String, _ configuration: StoreConfiguration = StoreConfiguration()) throws {
    let copy = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    defer { try? copy.close(discarding: true) }
    try copy.buildIndexes()
    let found = try #require(try copy.bag(key: key))
    #expect(try found.titles() == ["a", "b", "document"] && found.name == "bag")
    let song = try #require(try copy.fetch(Song.self).first)
    #expect(try copy.bags(containing: song) == [found])
    try copy.delete(song)
    try copy.saveChanges()
    #expect(found.count == 2)
    #expect(try copy.verify().isSound)
  }

  @Test func `dumps contain bags`() throws {
    var lines: [[UInt8]] = []
    try store.writeDump { lines.append($0) }
    let path = directory.path("Copy.todana")
    try Store.make(at: path) { lines.isEmpty ? nil : lines.removeFirst() }
    try check(path)
  }

  @Test func `backups contain bags, also under other keys`() throws {
    try store.backUp(to: directory.path("Copy.todana"))
    try check(directory.path("Copy.todana"))
    let secret = StoreEncryption.key([UInt8](repeating: 1, count: 32))
    try store.backUp(to: directory.path("Sealed.todana"), encryption: secret)
    try check(directory.path("Sealed.todana"), StoreConfiguration(encryption: secret))
  }

  @Test func `salvaged stores contain bags`() throws {
    try store.close()
    _ = try Store.salvage(from: directory.path("Store.todana"), to: directory.path("Salvaged.todana"))
    try check(directory.path("Salvaged.todana"))
  }

  @Test func `tools without the class show the fields of bags`() throws {
    let layout = try #require(try store.contentLayouts.first { $0.className == "TodanaDocuments.Bag" })
    #expect(layout.fields.map(\.name) == ["name", "key", "members"])
    let id = try #require(bag.anyID)
    let record = try #require(try store.rawRecord(ofClassNamed: layout.className, rowID: id.rowID))
    let values = try #require(layout.values(of: record))
    #expect(values.first?.description == "bag")
  }

  @Test func `an asynchronous save saves a bag with its new members`() async throws {
    try bag.add(Song("c"))
    try await store.save()
    #expect(!bag.hasUnsavedChanges)
    try bag.remove(contentsOf: [bag.objects()[0]])
    #expect(bag.hasUnsavedChanges && bag.unsavedRemovals.count == 1)
    store.discardChanges()
    #expect(bag.count == 4)
  }
}
