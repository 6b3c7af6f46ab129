// Indexes built over a class's file that has pages with several wrong bits: they have the rows that can be read.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DamagedPageIndexTests {
  private static let rowCount = 600

  /// A closed store without indexes, whose class file is damaged at random places.
  private final class Victim {
    let directory: TemporaryDirectory
    let secret: StoreSecret?
    var path: String { directory.path("store") }

    init(isEncrypted: Bool) throws {
      directory = try TemporaryDirectory()
      secret = isEncrypted ? SaveWorkload.secret : nil
      let (backend, store) = try open(Melody.self)
      for number in 1...DamagedPageIndexTests.rowCount {
        let melody = Melody()
        melody.title = "melody \(number)"
        melody.seconds = UInt32(number)
        try store.insert(melody)
      }
      try store.saveChanges()
      try close(store, backend)
      try FileManager.default.copyItem(atPath: path, toPath: path + "-sound")
    }

    func open(_ type: StoredObject.Type) throws -> (KyotoBackend, Store) {
      let backend = try KyotoBackend(.directory(path), secret: secret)
      var configuration = StoreConfiguration()
      configuration.indexBuilding = .manual
      return (backend, try Store(backend: backend, classes: [type], configuration: configuration))
    }

    func close(_ store: Store, _ backend: KyotoBackend) throws {
      try store.close(discarding: true)
      try backend.close()
    }

    /// Flips three bits on each of some pages with records.
    func damage(pageCount: Int, _ random: inout SeededGenerator) throws {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: path + "-sound", toPath: path)
      let name = try FileManager.default.contentsOfDirectory(atPath: path)
        .first { $0.hasSuffix(".kch") && !$0.contains("catalog") }
      let url = try URL(filePath: path + "/" + #require(name))
      var content = try Data(contentsOf: url)
      for _ in 0..<pageCount {
        let page = Int.random(in: 8..<content.count / 4096, using: &random) * 4096
        for _ in 0..<3 {
          content[page + Int.random(in: 0..<4096, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      try content.write(to: url)
    }

    /// Returns the rows that reads by row id find, and those that they report as damaged.
    func rows() throws -> (found: Set<RowID>, damaged: Set<RowID>) {
      let (backend, store) = try open(Melody.self)
      defer { try? close(store, backend) }
      let classID = try #require(try store.catalog[Melody.self]?.id)
      var found: Set<RowID> = [], damaged: Set<RowID> = []
      for number in 1...2 * DamagedPageIndexTests.rowCount {
        let id = ObjectID<Melody>(unchecked: AnyObjectID(classID: classID, rowID: RowID(number)))
        do {
          if try store.fetch(id) != nil { found.insert(id.rowID) }
        } catch {
          damaged.insert(id.rowID)
        }
      }
      return (found, damaged)
    }
  }

  private func expectIndexes(
    _ store: Store, _ rows: (found: Set<RowID>, damaged: Set<RowID>), _ problem: String
  ) throws {
    for index in try store.indexes {
      #expect(index.isComplete && index.failure == nil, "\(problem): \(String(describing: index.failure))")
      #expect(index.entryCount == rows.found.count, "\(problem)")
      #expect(Set(index.skippedRows) == rows.damaged, "\(problem)")
    }
    let sorted = IndexedMelody.all.sorted(by: \.seconds)
    var reported: [RowID?] = []
    let melodies = try store.fetch(sorted, onDamage: .report { reported.append($0.rowID) })
    #expect(melodies.compactMap { $0.id?.rowID } == rows.found.sorted(), "\(problem)")
    let named = Set(reported.compactMap { $0 })
    #expect(named == rows.damaged || (named.isSubset(of: rows.damaged) && reported.contains(nil)), "\(problem)")
  }

  @Test(arguments: [false, true])
  func `a new index is built and rebuilt over the readable rows`(_ isEncrypted: Bool) throws {
    let victim = try Victim(isEncrypted: isEncrypted)
    var random = SeededGenerator(seed: 41)
    for round in 0..<12 {
      try victim.damage(pageCount: 1 + round % 6, &random)
      let rows = try victim.rows()
      let problem = "round \(round), \(rows.damaged.count) rows damaged"
      let (backend, store) = try victim.open(IndexedMelody.self)
      #expect(throws: Never.self, "\(problem)") { try store.buildIndexes() }
      try expectIndexes(store, rows, problem)
      #expect(throws: Never.self, "\(problem)") { try store.rebuildIndexes(of: IndexedMelody.self) }
      try expectIndexes(store, rows, problem)
      try victim.close(store, backend)
    }
  }

  @Test func `an index whose rebuilding ends early is not used`() throws {
    let victim = try Victim(isEncrypted: false)
    let (backend, store) = try victim.open(IndexedMelody.self)
    try store.buildIndexes()
    let query = IndexedMelody.where { $0.seconds >= 500 }
    #expect(try store.explain(query).indexNames == ["seconds"])
    #expect(throws: CancellationError.self) {
      try store.rebuildIndexes(of: IndexedMelody.self) { _ in throw CancellationError() }
    }
    #expect(try store.explain(query).indexNames == [] && store.count(query) == 101)
    try victim.close(store, backend)
    let (other, again) = try victim.open(IndexedMelody.self)
    #expect(try again.explain(query).indexNames == [] && again.count(query) == 101)
    try again.buildIndexes()
    #expect(try again.explain(query).indexNames == ["seconds"] && again.count(query) == 101)
    try victim.close(again, other)
  }

  @Test(arguments: [false, true])
  func `a save that is refused for a damaged page names the class and the row`(_ isEncrypted: Bool) throws {
    let victim = try Victim(isEncrypted: isEncrypted)
    var random = SeededGenerator(seed: 42)
    var refusedCount = 0
    for round in 0..<12 {
      try victim.damage(pageCount: 2, &random)
      let (backend, store) = try victim.open(Melody.self)
      for melody in try store.fetch(Melody.self, onDamage: .report { _ in }) {
        let rowID = melody.id?.rowID
        try store.update(melody) { $0.seconds += 1 }
        do {
          try store.saveChanges(durability: .bulk)
        } catch {
          #expect(error is StoreError, "\(error)")
          guard let error = error as? StoreError else { continue }
          #expect(error.code == .damagedRecord && error.className == "Melody", "round \(round): \(error)")
          #expect(error.rowID == rowID && error.backendError?.page != nil, "round \(round): \(error)")
          store.discardChanges()
          refusedCount += 1
        }
        if refusedCount > 40 * (round + 1) { break }
      }
      try victim.close(store, backend)
    }
    #expect(refusedCount > 0)
  }
}
