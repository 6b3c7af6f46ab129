import Foundation
import SmallBackend
import TestSupport
import Testing

@testable import Todana

/// Random operations on stores with text indexes, over every backend, compared with dictionaries and scans.
@Suite struct TextIndexModelTests {
  /// The backends, and whether two of them share their records as those of two processes do.
  enum Kind: CaseIterable, CustomTestStringConvertible {
    case faulty, inMemory, temporary, directory, encrypted, encryptedFaulty, dictionary, sharedDictionary

    var testDescription: String { "\(self)" }

    private var kind: EveryBackend? {
      switch self {
      case .faulty: .faulty
      case .inMemory: .inMemory
      case .temporary: .temporary
      case .directory: .directory
      case .encrypted: .encrypted
      case .encryptedFaulty: .encryptedFaulty
      case .dictionary, .sharedDictionary: nil
      }
    }

    /// Whether the backend can be closed and opened again.
    var lasts: Bool { self == .directory || self == .encrypted || self == .sharedDictionary }

    func open(in directory: TemporaryDirectory) throws -> any StoreBackend {
      try kind?.open(in: directory) ?? DictionaryBackend()
    }
  }

  @Test(arguments: Kind.allCases, RandomSeeds.seeds(new: 1, long: 4))
  func `random operations leave each search right`(_ kind: Kind, _ seed: UInt64) throws {
    var walk = try TextWalk(kind, seed: seed)
    for step in 0..<(LongTests.areEnabled ? 150 : 14) {
      try walk.step()
      // Some walks have no merge of their own.
      if step % 14 == 3 { try walk.merge() }
      if step % 7 == 6 { try walk.check("step \(step), \(kind)") }
    }
    try walk.finish()
    #expect(walk.searches.foundCount > 20 && walk.mergeCount > 0, "seed \(seed): \(walk.mergeCount) merges")
  }
}

/// A random walk through the operations of two stores.
private struct TextWalk {
  private let kind: TextIndexModelTests.Kind
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private let configuration: StoreConfiguration
  private var random: RandomTexts
  private var backends: [any StoreBackend] = []
  private var stores: [Store] = []
  /// The saved texts, by the numbers of leaflets.
  private var saved: [Int64: TextWorkload.Texts] = [:]
  private var nextNumber: Int64 = 1
  private(set) var searches: LeafletSearches
  private(set) var mergeCount = 0

  init(_ kind: TextIndexModelTests.Kind, seed: UInt64) throws {
    (self.kind, self.seed) = (kind, seed)
    directory = try TemporaryDirectory(isInMemory: true)
    random = RandomTexts(seed: seed)
    searches = LeafletSearches(seed: seed)
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    self.configuration = configuration
    let backend = try kind.open(in: directory)
    backends = [backend]
    try openStores()
  }

  private mutating func openStores() throws {
    if kind == .sharedDictionary, let first = backends.first as? DictionaryBackend {
      backends = [first, DictionaryBackend(sharing: first)]
    }
    stores = try [backends[0], backends[backends.count - 1]].map { backend in
      try Store(backend: backend, classes: TextWorkload.classes, configuration: configuration)
    }
  }

  private mutating func text() -> String {
    switch random.number(0...19) {
    case 0: return ""
    case 1: return String(repeating: random.text() + " ", count: random.number(20...60))
    case 2: return "👩‍👩‍👧 🇩🇪 " + random.text()
    case 3: return String(repeating: "長い", count: random.number(1...300))
    case 4: return "the harbour of lanterns"
    default: return random.text()
    }
  }

  private mutating func texts() -> TextWorkload.Texts {
    TextWorkload.Texts(title: text(), text: random.number(0...5) == 0 ? nil : text())
  }

  private mutating func insert(
    _ count: Int, into store: Store, _ texts: inout [Int64: TextWorkload.Texts]
  ) throws {
    for _ in 0..<count {
      let leaflet = Leaflet()
      let new = self.texts()
      (leaflet.number, leaflet.title, leaflet.text) = (nextNumber, new.title, new.text)
      texts[nextNumber] = new
      nextNumber += 1
      try store.insert(leaflet)
    }
  }

  /// Makes changes in a store without saving them, and returns the texts that a save would leave.
  private mutating func change(_ store: Store) throws -> [Int64: TextWorkload.Texts] {
    var texts = saved
    try insert(random.number(0...20), into: store, &texts)
    let leaflets = try store.fetch(Leaflet.self)
    for leaflet in random.some(of: leaflets, upTo: 10) {
      let new = self.texts()
      texts[leaflet.number] = new
      try store.update(leaflet) { ($0.title, $0.text) = (new.title, new.text) }
    }
    for leaflet in random.some(of: leaflets, upTo: 5) {
      texts[leaflet.number] = nil
      try store.delete(leaflet)
    }
    return texts
  }

  mutating func merge() throws { try merge(stores[0]) }

  mutating func step() throws {
    let store = stores[random.number(0...1)]
    switch random.number(0...21) {
    case 0...6:
      let texts = try change(store)
      try store.saveChanges()
      saved = texts
    case 7:
      _ = try change(store)
      store.discardChanges()
    case 8:
      struct Undone: Error {}
      let former = saved
      do {
        try store.savepoint {
          _ = try change(store)
          throw Undone()
        }
      } catch is Undone {}
      saved = former
      #expect(!store.hasUnsavedChanges)
    case 9...12: try merge(store)
    case 13:
      if random.number(0...1) == 0 {
        try store.emptyStoredIndex(named: random.number(0...1) == 0 ? "all" : "text", ofClassNamed: "Leaflet")
      } else {
        try store.rebuildIndexes(of: Leaflet.self, named: "all")
        mergeCount += 1
      }
    case 14, 15:
      // Another store changes and merges within a snapshot.
      let other = stores[stores[0] === store ? 1 : 0]
      let former = saved
      try store.withSnapshot {
        let texts = try change(other)
        try other.saveChanges()
        saved = texts
        try merge(other)
        #expect(try TextWorkload.state(of: store) == former, "seed \(seed)")
        try searches.check(store, count: 4, "in a snapshot, \(kind)")
      }
    case 16: try reopen()
    case 18:
      // A store saves new objects, whose row ids are lower than those that another store has saved and merged since.
      let other = stores[stores[0] === store ? 1 : 0]
      var inserted: [Int64: TextWorkload.Texts] = [:]
      try insert(random.number(1...10), into: store, &inserted)
      let texts = try change(other)
      try other.saveChanges()
      try merge(other)
      try store.saveChanges()
      saved = texts.merging(inserted) { first, _ in first }
    case 19:
      let ids = try random.some(of: store.fetch(Leaflet.self), upTo: 8).compactMap { leaflet in
        saved[leaflet.number] = nil
        return leaflet.id
      }
      try store.delete(ids)
      try store.saveChanges()
    case 17:
      // Unsaved changes count.
      _ = try change(store)
      for expression: TextExpression in [.word("harbour"), .substring("長い"), !.word("the")] {
        let found = try store.fetch(Leaflet.where { $0.text.matches(expression) }).map(\.number)
        let tested = try store.fetch(Leaflet.where { $0.text.matches(expression) || $0.number < 0 }).map(\.number)
        #expect(found == tested, "\(expression), seed \(seed)")
      }
      store.discardChanges()
    default:
      if store.backend.operations != nil { try store.compact() }
    }
  }

  private mutating func merge(_ store: Store) throws {
    let table = try store.registry.table(for: Leaflet.self)
    try store.mergeTexts(of: table, table.textIndexes, leaving: random.number(0...30))
    mergeCount += 1
  }

  private mutating func reopen() throws {
    for store in stores { try store.close() }
    stores = []
    if kind.lasts, kind != .sharedDictionary {
      for backend in backends { try backend.close() }
      backends = [try kind.open(in: directory)]
    }
    try openStores()
  }

  mutating func check(_ comment: String) throws {
    for store in stores {
      #expect(try TextWorkload.state(of: store) == saved, "\(comment), seed \(seed)")
      try searches.check(store, count: 3, comment)
    }
    #expect(try stores[0].verify().problems.isEmpty, "\(comment), seed \(seed)")
  }

  mutating func finish() throws {
    try check("at the end")
    for store in stores { try store.buildIndexes() }
    #expect(try stores[0].storedIndexes.map(\.pendingCount) == [0, 0], "seed \(seed)")
    try stores[0].expectNoLostSegments("seed \(seed)")
    try check("after the last merge")
    for store in stores { try store.close() }
    for backend in backends { try backend.close() }
  }
}
