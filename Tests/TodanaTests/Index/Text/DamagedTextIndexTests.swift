// Damage to the files and records of text indexes, by accident and on purpose.
import Foundation
import TestSupport
import Testing

@testable import Todana

@Suite struct DamagedTextIndexTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ name: String, _ isEncrypted: Bool) throws -> Store {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    if isEncrypted { configuration.encryption = TextWorkload.encryption }
    return try Store(.directory(directory.path(name)), classes: TextWorkload.classes, configuration: configuration)
  }

  /// Makes a store with two segments in each index, stale rows and pending entries.
  private func make(_ name: String, _ isEncrypted: Bool, saveCount: Int = 18) throws {
    let store = try open(name, isEncrypted)
    for number in 1...saveCount {
      try TextWorkload.save(number, to: store, durability: .relaxed)
      if number == saveCount - 8 || number == saveCount - 3 { try store.buildIndexes() }
    }
    #expect(try store.storedIndexes.allSatisfy { $0.pendingCount > 0 && $0.entryCount > 50 })
    try store.close()
  }

  private func copy(_ name: String, to copy: String) throws {
    try? FileManager.default.removeItem(atPath: directory.path(copy))
    try FileManager.default.copyItem(atPath: directory.path(name), toPath: directory.path(copy))
  }

  /// Returns the files of text indexes in a store that is not encrypted.
  private func textFiles(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path(name)).filter { $0.contains("text") }.sorted()
  }

  /// The files of the text indexes of an encrypted store, whose names do not tell.
  private func files(in name: String, _ isEncrypted: Bool) throws -> [String] {
    if !isEncrypted { return try textFiles(in: name) }
    return try FileManager.default.contentsOfDirectory(atPath: directory.path(name)).filter { name in
      name.contains(".kc") || name.contains(".tdt")
    }.sorted()
  }

  @Test(arguments: [false, true], RandomSeeds.seeds(new: 1, long: 4))
  func `damaged files give errors or right results, and the index is built again`(
    _ isEncrypted: Bool, _ seed: UInt64
  ) throws {
    try make("store", isEncrypted)
    var random = SeededGenerator(seed: seed)
    var searches = LeafletSearches(seed: seed)
    let files = try files(in: "store", isEncrypted)
    try #require(files.count >= 8, "\(files)")
    var (reported, unopened, unread) = (0, 0, 0)
    for trial in 0..<(LongTests.areEnabled ? 100 : 14) {
      try copy("store", to: "damaged")
      let file = try #require(files.randomElement(using: &random))
      let damage = try #require(FileDamage.allCases.randomElement(using: &random))
      try damage.apply(to: directory.path("damaged/\(file)"), &random)
      let name = "trial \(trial): \(damage) in \(file), seed \(seed)"
      let store: Store
      do {
        store = try open("damaged", isEncrypted)
      } catch is StoreError {
        unopened += 1
        continue
      }
      guard let state = try? TextWorkload.state(of: store) else {
        // The records are damaged.
        #expect(isEncrypted, "\(name)")
        unread += 1
        try store.close()
        continue
      }
      #expect(state == TextWorkload.state(after: 18), "\(name)")
      let damageCount = searches.damageCount
      try searches.check(store, count: 4, isDamaged: true, name)
      let problems = try store.verify().problems
      if !problems.isEmpty { reported += 1 }
      // Damage that a search reports is found by a verification, too.
      #expect(searches.damageCount == damageCount || !problems.isEmpty, "\(name)")
      if problems.allSatisfy({ $0.message.contains("ndex") }) {
        try store.rebuildIndexes(of: Leaflet.self)
        #expect(try store.verify().problems.isEmpty, "after a new build, \(name)")
        try searches.check(store, count: 3, "after a new build, \(name)")
        try store.expectNoLostSegments(name)
      }
      try store.close()
      if trial % 8 == 0 { try checkSalvage(isEncrypted, name) }
    }
    // Few trials may all hit unused space.
    #expect(reported > 0 && unopened + unread < 80, "\(reported), \(unopened), \(unread), seed \(seed)")
  }

  /// Salvages the damaged store, and dumps it, without its text indexes.
  private func checkSalvage(_ isEncrypted: Bool, _ name: String) throws {
    let target = directory.path("salvaged")
    try? FileManager.default.removeItem(atPath: target)
    _ = try Store.salvage(
      from: directory.path("damaged"), to: target, encryption: isEncrypted ? TextWorkload.encryption : .none)
    let store = try open("salvaged", isEncrypted)
    #expect(try TextWorkload.state(of: store) == TextWorkload.state(after: 18), "\(name)")
    #expect(try store.storedIndexes.map(\.entryCount) == [0, 0], "\(name)")
    try store.buildIndexes()
    var searches = LeafletSearches(seed: 1)
    try searches.check(store, count: 3, "salvaged, \(name)")
    #expect(try store.verify().problems.isEmpty, "salvaged, \(name)")
    try store.close()
  }

  @Test(arguments: [false, true])
  func `older files of an index are found by a verification`(_ isEncrypted: Bool) throws {
    try make("store", isEncrypted)
    try copy("store", to: "old")
    var store = try open("store", isEncrypted)
    for number in 19...24 { try TextWorkload.save(number, to: store) }
    try store.close()
    let old = try files(in: "old", isEncrypted)
    let changed = try files(in: "store", isEncrypted).filter { name in
      guard old.contains(name), !name.hasSuffix(".sums") else { return false }
      let (new, old) = (directory.path("store/\(name)"), directory.path("old/\(name)"))
      return try Data(contentsOf: URL(filePath: new)) != Data(contentsOf: URL(filePath: old))
    }
    #expect(!changed.isEmpty)
    for name in changed {
      try copy("store", to: "replayed")
      for name in [name, name + ".sums"] where FileManager.default.fileExists(atPath: directory.path("old/\(name)")) {
        try? FileManager.default.removeItem(atPath: directory.path("replayed/\(name)"))
        try FileManager.default.copyItem(
          atPath: directory.path("old/\(name)"), toPath: directory.path("replayed/\(name)"))
      }
      do {
        store = try open("replayed", isEncrypted)
      } catch is StoreError {
        continue
      }
      #expect(try !store.verify().isSound, "\(name)")
      try store.close()
    }
  }

  @Test func `a page that was removed or put back is found, and searches do not use it`() throws {
    try make("store", true)
    let store = try open("store", true)
    let index = try #require(store.registry.tables[0].textIndexes.first { $0.name == "text" })
    let state = try #require(try TextIndexState(index, in: try store.sealing.snapshot(), of: store))
    let segment = try #require(state.header.segments.first).keyspace
    // The sealed bytes of two pages.
    let pages = try store.backend.allRows(of: segment)
    let (first, second) = (try #require(pages[1]), try #require(pages[2]))
    var searches = LeafletSearches(seed: 1)
    let changes: [(inout WriteBatch) -> Void] = [
      { $0.remove(row: 1, in: segment) },
      { $0.put(first, row: 1, in: segment) },
      { $0.put(first, row: 2, in: segment, expecting: .anything) },
      { $0.put(Array(second.dropLast(30)), row: 2, in: segment, expecting: .anything) },
      { $0.put(second, row: 2, in: segment, expecting: .anything) },
    ]
    for (number, change) in changes.enumerated() {
      try store.backend.commit { change(&$0) }
      store.session.textIndexes.forget()
      let damageCount = searches.damageCount
      try searches.check(store, count: 3, isDamaged: true, "change \(number)")
      let isRight = number == 1 || number == 4
      #expect((searches.damageCount == damageCount) == isRight, "change \(number)")
      #expect(try store.verify().isSound == isRight, "change \(number)")
    }
    try store.close()
  }
}

extension DamagedTextIndexTests {
  private func storeInMemory() throws -> (KyotoBackend, Store) {
    let backend = try KyotoBackend(.inMemory)
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    let store = try Store(backend: backend, classes: TextWorkload.classes, configuration: configuration)
    for number in 1...6 { try TextWorkload.save(number, to: store) }
    return (backend, store)
  }

  // A merge put the entry of an unreadable row into the commit that removed its former entry. The commit was refused,
  // so that no further merge succeeded.
  @Test func `a changed object that cannot be read does not keep others from being merged`() throws {
    let (backend, store) = try storeInMemory()
    try store.buildIndexes()
    let leaflets = try store.fetch(Leaflet.self)
    for leaflet in leaflets.prefix(3) { try store.update(leaflet) { $0.text = "walnut" } }
    try store.saveChanges()
    let id = try #require(leaflets[1].id)
    let record = try #require(try backend.newest.value(id.rowID, in: id.classID))
    func set(_ bytes: [UInt8]) throws {
      try backend.commit { $0.put(bytes, row: id.rowID, in: id.classID, expecting: .anything) }
    }
    try set([9] + record.dropFirst())
    try store.buildIndexes()
    let index = try #require(store.registry.tables[0].textIndexes.first { $0.name == "text" })
    func pending() throws -> [RowID] {
      try #require(try TextIndexState(index, in: try store.sealing.snapshot(), of: store)).pending.map(\.rowID)
    }
    #expect(try pending() == [id.rowID], "of \(leaflets.prefix(3).map { $0.id?.rowID ?? 0 })")
    try set(record)
    #expect(try store.count(Leaflet.where { $0.text.matches(.word("walnut")) }) == 3)
    // A save of the object ends that.
    try store.update(leaflets[1]) { $0.text = "walnut again" }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try pending().isEmpty)
    #expect(try store.count(Leaflet.where { $0.text.matches(.word("walnut")) }) == 3)
    #expect(try store.verify().problems.isEmpty)
    try backend.close()
  }

  @Test func `a new object that cannot be read stays pending`() throws {
    let (backend, store) = try storeInMemory()
    let id = try #require(try store.fetch(Leaflet.self)[4].id)
    let record = try #require(try backend.newest.value(id.rowID, in: id.classID))
    func set(_ bytes: [UInt8]) throws {
      try backend.commit { $0.put(bytes, row: id.rowID, in: id.classID, expecting: .anything) }
    }
    try set([9] + record.dropFirst())
    try store.buildIndexes()
    try set(record)
    var searches = LeafletSearches(seed: 1)
    try searches.check(store)
    #expect(try store.storedIndexes.map(\.pendingCount) == [1, 1])
    #expect(try store.verify().problems.isEmpty)
    try backend.close()
  }
}
