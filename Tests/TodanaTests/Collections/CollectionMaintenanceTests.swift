import Foundation
import SmallBackend
import TestSupport
import Testing

@testable import Todana

/// Collections in copies and conversions of a store, and in several sessions of one directory.
@Suite struct CollectionMaintenanceTests {
  private typealias Record = CollectionTests.Record

  private let directory: TemporaryDirectory
  private var path: String { directory.path("Store.todana") }

  init() throws { directory = try TemporaryDirectory() }

  private func makeStore(_ configuration: StoreConfiguration = StoreConfiguration()) throws -> Store {
    try fill(Store(.directory(path), classes: [], configuration: configuration))
  }

  private func fill(_ store: Store) throws -> Store {
    try store.describeCollection(named: "users", of: Record.self, Array("age!".utf8))
    try store.describeCollection(named: "old", of: Record.self, [])
    try store.renameCollection(named: "old", of: Record.self, to: "others")
    for age in 0..<100 { try store.insert(Record(["age": age]), into: age % 2 == 0 ? "users" : "others") }
    try store.saveChanges()
    return store
  }

  private func check(_ path: String, _ configuration: StoreConfiguration = StoreConfiguration()) throws {
    let store = try Store(.directory(path), classes: [], configuration: configuration)
    try check(store)
    try store.close()
  }

  private func check(_ store: Store) throws {
    #expect(try store.collectionNames(of: Record.self) == ["others", "users"])
    #expect(try store.count(Record.all.in(collection: "users")) == 50)
    #expect(try store.count(Record.all.in(collection: "others")) == 50)
    let query = Query(where: Record.value("age").property == 4).in(collection: "users")
    #expect(try store.fetch(query).map(\.values) == [["age": 4]])
    try store.insert(Record(["age": 4]), into: "users")
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    store.discardChanges()
    #expect(try store.verify().isSound)
  }

  @Test func `dumps contain collections`() throws {
    let store = try makeStore()
    var lines: [[UInt8]] = []
    try store.writeDump { lines.append($0) }
    try store.close()
    let copy = directory.path("Copy.todana")
    try Store.make(at: copy) { lines.isEmpty ? nil : lines.removeFirst() }
    try check(copy)
  }

  @Test func `copies under other keys contain collections`() throws {
    let store = try makeStore()
    let secret = StoreEncryption.key([UInt8](repeating: 1, count: 32))
    let copy = directory.path("Copy.todana")
    try store.backUp(to: copy, encryption: secret)
    try store.close()
    try check(copy, StoreConfiguration(encryption: secret))
  }

  @Test func `salvaged stores contain collections`() throws {
    try makeStore().close()
    let copy = directory.path("Copy.todana")
    #expect(try Store.salvage(from: path, to: copy).lostCount == 0)
    try check(copy)
  }

  @Test func `stores with collections are encrypted and get other keys in use`() throws {
    let store = try makeStore()
    let secret = StoreSecret.key([UInt8](repeating: 1, count: 32))
    try check(store)
    try store.encrypt(with: secret)
    try check(store)
    try store.keys.rotate(keeping: [secret])
    try store.describeCollection(named: "third", of: Record.self, Array("n".utf8))
    try store.dropCollection(named: "third", of: Record.self)
    try check(store)
    try store.close()
    try check(path, StoreConfiguration(encryption: .key([UInt8](repeating: 1, count: 32))))
  }

  @Test func `another session of the directory changes collections`() throws {
    let base = DictionaryBackend()
    let mine = try fill(Store(backend: base, classes: []))
    let theirs = try Store(backend: DictionaryBackend(sharing: base), classes: [])
    #expect(try theirs.collectionNames(of: Record.self) == ["others", "users"])
    let waiting = Record(["age": 1000])
    try mine.insert(waiting, into: "users")
    try theirs.describeCollection(named: "users", of: Record.self, Array("age!,size".utf8))
    try theirs.insert(Record(["age": 1001, "size": 3]), into: "users")
    try theirs.saveChanges()
    try mine.saveChanges()
    let query = Query(where: Record.value("size").property == 3).in(collection: "users")
    #expect(try mine.fetch(query).map(\.values) == [["age": 1001, "size": 3]])
    #expect(try mine.explain(query).description.contains("index"))
    #expect(try theirs.count(Query(where: Record.value("age").property == 1000).in(collection: "users")) == 1)
    try mine.describeCollection(named: "users", of: Record.self, [])
    #expect(try theirs.count(query) == 1)
    #expect(try !theirs.explain(query).description.contains("index"))
    try theirs.insert(Record(["age": 1001]), into: "users")
    try theirs.saveChanges()
    try mine.dropCollection(named: "others", of: Record.self)
    #expect(throws: StoreError.self) { try theirs.count(Record.all.in(collection: "others")) }
    try theirs.close()
    try mine.close()
  }

  @Test func `a read-only store reads collections and changes none`() throws {
    try makeStore().close()
    var configuration = StoreConfiguration()
    configuration.access = .read
    let store = try Store(.directory(path), classes: [], configuration: configuration)
    #expect(try store.count(Record.all.in(collection: "users")) == 50)
    let error = #expect(throws: StoreError.self) {
      try store.describeCollection(named: "users", of: Record.self, [])
    }
    #expect(error?.code == .readOnly)
    #expect(try store.count(Record.all.in(collection: "users")) == 50)
  }
}
