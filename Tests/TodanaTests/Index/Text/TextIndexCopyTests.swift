// Backups, compaction, new keys and the bytes that text indexes leave in files.
import Foundation
import TestSupport
import Testing

@testable import Todana

@Suite struct TextIndexCopyTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ name: String, _ isEncrypted: Bool) throws -> Store {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    configuration.resumingMigration = true
    if isEncrypted { configuration.encryption = TextWorkload.encryption }
    return try Store(.directory(directory.path(name)), classes: TextWorkload.classes, configuration: configuration)
  }

  private func save(_ numbers: ClosedRange<Int>, to store: Store) throws {
    for number in numbers { try TextWorkload.save(number, to: store, durability: .relaxed) }
  }

  /// Compares a copy with the state after a save, before and after a merge.
  private func check(_ store: Store, after saveCount: Int, _ comment: String) throws {
    var searches = LeafletSearches(seed: 9)
    #expect(try TextWorkload.state(of: store) == TextWorkload.state(after: saveCount), "\(comment)")
    try searches.check(store, count: 4, comment)
    #expect(try store.verify().problems.isEmpty, "\(comment)")
    try store.buildIndexes()
    try searches.check(store, count: 4, "merged, \(comment)")
    #expect(try store.storedIndexes.map(\.pendingCount) == [0, 0], "\(comment)")
    #expect(try store.verify().problems.isEmpty, "merged, \(comment)")
    try store.expectNoLostSegments(comment)
    #expect(searches.indexedCount > 50, "\(comment)")
  }

  @Test(arguments: [false, true])
  func `copies of all kinds have indexes that give right results`(_ isEncrypted: Bool) throws {
    let store = try open("store", isEncrypted)
    let series = BackupSeries(at: directory.path("series"))
    try save(1...12, to: store)
    try store.buildIndexes()
    try save(13...16, to: store)
    _ = try store.backUp(into: series)
    try store.backUp(to: directory.path("backup"))
    // Merges drop the segments that the first backup has.
    for number in 17...22 {
      try save(number...number, to: store)
      try store.rebuildIndexes(of: Leaflet.self)
    }
    _ = try store.backUp(into: series)
    _ = try store.compact()
    try check(store, after: 22, "compacted")
    try store.close()
    try series.restore(1, to: directory.path("first"))
    try series.restore(2, to: directory.path("second"))
    for (name, saveCount) in [("backup", 16), ("first", 16), ("second", 22), ("store", 22)] {
      let copy = try open(name, isEncrypted)
      // A backup keeps the indexes.
      #expect(try copy.storedIndexes.allSatisfy { $0.entryCount > 50 }, "\(name)")
      try check(copy, after: saveCount, name)
      try copy.close()
    }
  }

  // MARK: Compaction

  /// Returns the words of all segments that begin with a word.
  private func words(_ beginning: String, in store: Store) throws -> Set<String> {
    var found: Set<String> = []
    for index in try store.registry.table(for: Leaflet.self).textIndexes {
      let state = try #require(try TextIndexState(index, in: try store.sealing.snapshot(), of: store))
      let columns = SearchedColumns(numbers: index.declaration.columns.indices.map(UInt8.init), areAll: true)
      let list = try TextWordList(
        of: state.segments().map(\.segment), columns, .beginning(Array(beginning.utf8)), limit: 100)
      found.formUnion(list.words.map { String(decoding: $0.bytes, as: UTF8.self) })
    }
    return found
  }

  @Test(arguments: [false, true], [false, true])
  func `a compaction removes the words of texts that were changed or deleted`(
    _ isEncrypted: Bool, _ knowsClass: Bool
  ) throws {
    var store = try open("store", isEncrypted)
    try save(1...8, to: store)
    var secret: [Leaflet] = []
    for number in 0..<5 {
      let leaflet = Leaflet()
      leaflet.number = Int64(1000 + number)
      leaflet.title = "zanzibar\(number)"
      leaflet.text = number % 2 == 0 ? "zanzibaric\(number)" : nil
      try store.insert(leaflet)
      secret.append(leaflet)
    }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try words("zanzi", in: store).count == 8)
    // One is stale in a segment, two are pending, and one stays.
    try store.delete(secret[0])
    try store.saveChanges()
    try store.buildIndexes()
    try store.update(secret[1]) { $0.title = "harbour" }
    try store.delete([secret[2], secret[3]])
    try store.saveChanges()
    #expect(try words("zanzi", in: store).count == 8)
    if knowsClass {
      _ = try store.compact()
    } else {
      try store.close()
      var configuration = StoreConfiguration()
      if isEncrypted { configuration.encryption = TextWorkload.encryption }
      let plain = try Store(.directory(directory.path("store")), classes: [], configuration: configuration)
      _ = try plain.compact()
      try plain.close()
      store = try open("store", isEncrypted)
    }
    #expect(try words("zanzi", in: store) == ["zanzibar4", "zanzibaric4"])
    #expect(try store.verify().problems.isEmpty)
    try store.expectNoLostSegments()
    var searches = LeafletSearches(seed: 4)
    try searches.check(store)
    try store.buildIndexes()
    try searches.check(store, "merged")
    #expect(try store.verify().problems.isEmpty)
    // Nothing is left to remove.
    let headers = try segmentIDs(of: store)
    _ = try store.compact()
    #expect(try segmentIDs(of: store) == headers)
    _ = try store.compact { _ in false }
    try store.close()
    if !isEncrypted {
      for file in try FileManager.default.contentsOfDirectory(atPath: directory.path("store")) {
        let content = try Data(contentsOf: URL(filePath: directory.path("store") + "/" + file))
        for word in ["zanzibar0", "zanzibaric0", "zanzibar3"] {
          #expect(content.range(of: Data(word.utf8)) == nil, "\(word) is found in \(file)")
        }
      }
    }
  }

  private func segmentIDs(of store: Store) throws -> Set<KeyspaceID> {
    Set(try store.sealing.keyspaces().filter { $0.textName?.segment != nil }.map(\.id))
  }

  // MARK: Encryption

  /// The words of the texts as they are written, and folded.
  private static let words =
    ["harbour", "Lantern", "lantern", "Écluse", "ecluse", "running", "Straße", "strasse", "книгами", "quartz"]
    + ["漢字かな", "文件を開く", "가나다", "Leaflet", "leaflet"]

  private func expectNoWords(in name: String, _ comment: String) throws {
    let path = directory.path(name)
    for file in try FileManager.default.contentsOfDirectory(atPath: path) {
      let content = try Data(contentsOf: URL(filePath: "\(path)/\(file)"))
      for word in Self.words {
        #expect(content.range(of: Data(word.utf8)) == nil, "\(word) is found in \(file), \(comment)")
      }
      #expect(!file.contains("text") && !file.contains("Leaflet"), "\(file), \(comment)")
    }
  }

  @Test func `the files of an encrypted store have no word of its texts`() throws {
    let store = try open("store", true)
    for number in 1...12 {
      try save(number...number, to: store)
      if number % 3 == 0 { try store.buildIndexes() }
    }
    try expectNoWords(in: "store", "while it is open")
    try store.backend.operations?.checkpoint()
    try expectNoWords(in: "store", "after a checkpoint")
    try store.rebuildIndexes(of: Leaflet.self)
    _ = try store.compact()
    try check(store, after: 12, "compacted")
    try store.close()
    try expectNoWords(in: "store", "closed")
    // A plain store has them, so that this search could find them.
    let plain = try open("plain", false)
    try save(1...12, to: plain)
    try plain.buildIndexes()
    try plain.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path("plain"))
    let segment = try #require(files.first { $0.hasSuffix("text_1.kch") }, "\(files)")
    let content = try Data(contentsOf: URL(filePath: directory.path("plain/\(segment)")))
    #expect(content.range(of: Data("ecluse".utf8)) != nil)
  }

  enum Way: CaseIterable, CustomTestStringConvertible {
    case rotating, encrypting, decrypting

    var testDescription: String { "\(self)" }
  }

  /// A thread that merges and rebuilds the text indexes of a backend until it is stopped.
  private final class Merger: @unchecked Sendable {
    private let lock = NSCondition()
    private var isStopped = false
    private var hasEnded = false
    /// The errors of merges, and the number of those that succeeded.
    private(set) var errors: [String] = []
    private(set) var mergeCount = 0

    init(_ backend: any StoreBackend, _ configuration: StoreConfiguration) {
      Thread {
        do {
          let store = try Store(backend: backend, classes: TextWorkload.classes, configuration: configuration)
          var round = 0
          while !self.lock.withLock({ self.isStopped }) {
            round += 1
            do {
              if round % 3 == 0 { try store.rebuildIndexes(of: Leaflet.self) } else { try store.buildIndexes() }
              self.note { self.mergeCount += 1 }
            } catch {
              self.note { self.errors.append("\(error)") }
            }
          }
          try store.close()
        } catch {
          self.note { self.errors.append("\(error)") }
        }
        self.note { self.hasEnded = true }
      }.start()
    }

    /// Changes the state that other threads wait for.
    private func note(_ change: () -> Void) {
      lock.withLock {
        change()
        lock.broadcast()
      }
    }

    /// Waits until it has merged once, or cannot.
    ///
    /// On a busy machine, it may start long after it was made.
    func waitForMerge() {
      lock.withLock {
        while mergeCount == 0 && errors.isEmpty && !hasEnded { lock.wait() }
      }
    }

    /// Returns after its thread has ended.
    func stop() {
      lock.withLock {
        isStopped = true
        while !hasEnded { lock.wait() }
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `keys are renewed, and stores encrypted and decrypted, while texts are merged`(_ way: Way) throws {
    var store = try open("store", way != .encrypting)
    try save(1...15, to: store)
    try store.buildIndexes()
    try store.close()
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    var saveCount = 15
    var isEncrypted = way != .encrypting
    for round in 0..<(LongTests.areEnabled ? 30 : 3) {
      store = try open("store", isEncrypted)
      let merger = Merger(store.backend, configuration)
      merger.waitForMerge()
      for _ in 0..<3 {
        saveCount += 1
        try TextWorkload.save(saveCount, to: store, durability: .relaxed)
      }
      if way == .rotating {
        #expect(try store.keys.rotate(keeping: [TextWorkload.secret]).isFinished)
      } else {
        #expect(try isEncrypted ? store.decrypt() : store.encrypt(with: TextWorkload.secret))
        isEncrypted.toggle()
      }
      merger.stop()
      // A segment that was begun with the former keys is written again.
      #expect(merger.errors == [], "round \(round)")
      #expect(merger.mergeCount > 0, "round \(round)")
      try check(store, after: saveCount, "round \(round)")
      try store.close()
      if isEncrypted { try expectNoWords(in: "store", "round \(round)") }
    }
    store = try open("store", isEncrypted)
    try check(store, after: saveCount, "opened")
    try store.close()
  }
}
