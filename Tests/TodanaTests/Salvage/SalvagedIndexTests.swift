import Foundation
import TestSupport
import Testing
import Todana

/// Indexes of salvaged stores: damaged indexes could have entries of lost rows, so they are built when their classes
/// are opened.
@Suite struct SalvagedIndexTests {
  private static let pieceCount = 900
  private static let discCount = 12
  private static let types: [StoredObject.Type] = [Piece.self, Disc.self]
  private static let secret = StoreEncryption.callback { .key([UInt8](repeating: 7, count: 32)) }

  let directory: TemporaryDirectory
  private var path: String { directory.path("store") }
  private var salvagedPath: String { directory.path("salvaged") }

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  enum Damage: CaseIterable {
    case nothing, pagesOfRows, garbageInRows, indexes, pagesOfRowsAndCatalog, allRows
  }

  @Test(arguments: [false, true], Damage.allCases)
  func `queries of a salvaged store answer from the salvaged records`(_ isEncrypted: Bool, _ damage: Damage) throws {
    // The names of an encrypted store's classes are only in its catalog.
    if isEncrypted, damage == .pagesOfRowsAndCatalog { return }
    try makeStore(isEncrypted)
    try apply(damage)
    let encryption = isEncrypted ? Self.secret : .none
    let report = try Store.salvage(from: path, to: salvagedPath, encryption: encryption)
    let knowsNames = damage != .pagesOfRowsAndCatalog
    #expect(report.indexesToBuild.count == 8)
    #expect(report.indexesToBuild.contains("Piece: isrc") == knowsNames)
    #expect(report.keyspaces.map(\.name) == ["Piece", "Disc"])
    let savedCount = report.keyspaces[0].savedCount
    switch damage {
    case .nothing, .indexes: #expect(savedCount == Self.pieceCount && report.lostCount == 0)
    case .allRows: #expect(savedCount == 0)
    default: #expect((1..<Self.pieceCount).contains(savedCount))
    }

    // Before the classes are opened, there are no entries of missing rows either.
    var store = try open(salvagedPath, isEncrypted, [])
    #expect(try store.storedIndexes.isEmpty)
    #expect(try store.verify().problemCount == 0)
    try store.close()

    store = try open(salvagedPath, isEncrypted, Self.types)
    let pieces = try store.fetch(Piece.self)
    #expect(pieces.count == savedCount)
    let indexes = try store.indexes
    #expect(indexes.count == 8 && indexes.allSatisfy { $0.isComplete && $0.failure == nil })
    try expectAnswers(of: store, from: pieces)
    try expectUniqueness(in: store, pieces)
    let verified = try store.verify()
    #expect(verified.problemCount == 0, "\(verified.problems)")
    try store.close()
    // The indexes are still correct after reopening.
    store = try open(salvagedPath, isEncrypted, Self.types)
    try expectAnswers(of: store, from: try store.fetch(Piece.self))
    try store.close()
  }

  /// Compares all kinds of queries, each of which uses an index, with the objects.
  private func expectAnswers(of store: Store, from pieces: [Piece]) throws {
    func ids(_ pieces: [Piece]) -> [ObjectID<Piece>] { pieces.compactMap { $0.id } }
    let bySeconds = pieces.sorted { $0.seconds < $1.seconds }
    #expect(try store.ids(Piece.all.sorted(by: \.seconds)) == ids(bySeconds))
    #expect(try store.fetch(Piece.all.sorted(by: \.seconds)).map(\.seconds) == bySeconds.map(\.seconds))
    #expect(try store.values(Piece.all.sorted(by: \.seconds), of: \.seconds) == bySeconds.map(\.seconds))
    #expect(try store.sum(Piece.all, of: \.seconds) == pieces.reduce(0) { $0 + Int($1.seconds) })
    #expect(try store.count(Piece.where { $0.seconds < 300 }) == pieces.count { $0.seconds < 300 })
    #expect(try store.minimum(Piece.all, of: \.seconds) == bySeconds.first?.seconds)
    let genres = Dictionary(grouping: pieces, by: \.genre).mapValues(\.count)
    let groups = try store.groups(Piece.all, by: \.genre)
    #expect(Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.count) }) == genres)
    for tag in ["live", "old"] {
      #expect(try store.count(Piece.where { $0.tags.contains(tag) }) == pieces.count { $0.tags.contains(tag) })
    }
    let favourites = pieces.filter { $0.isFavourite && $0.rating > 2 }
    #expect(
      Set(try store.ids(Piece.where { $0.isFavourite && $0.rating > 2 })) == Set(ids(favourites)))
    #expect(
      try store.count(Piece.where { $0.title.folded.hasPrefix("ecoute 1") })
        == pieces.count { $0.title.hasPrefix("Écoute 1") })
    for number in 0..<Self.pieceCount {
      let isrc = Self.isrc(number)
      guard let isrc else { continue }
      #expect(try store.first(Piece.where { $0.isrc == isrc })?.isrc == pieces.first { $0.isrc == isrc }?.isrc)
    }
    for disc in try store.fetch(Disc.self) {
      #expect(try store.count(Piece.where { $0.album == disc }) == pieces.count { $0.album === disc })
    }
  }

  /// Expects that unique values of lost objects are free again and that those of saved objects are not.
  private func expectUniqueness(in store: Store, _ pieces: [Piece]) throws {
    let saved = Set(pieces.compactMap(\.isrc))
    let lost = (0..<Self.pieceCount).compactMap(Self.isrc).filter { !saved.contains($0) }
    for isrc in lost {
      let piece = Piece()
      piece.isrc = isrc
      // No row id is handed out twice, so no reference to a lost object leads to a new one.
      #expect(try store.insert(piece).rowID > RowID(Self.pieceCount))
    }
    try store.saveChanges()
    guard let isrc = (saved.first ?? lost.first) else { return }
    let other = Piece()
    other.isrc = isrc
    try store.insert(other)
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    store.discardChanges()
  }

  // MARK: Verifying without the classes

  @Test(arguments: [false, true])
  func `verify without the classes finds entries of missing rows`(_ isEncrypted: Bool) throws {
    try makeStore(isEncrypted)
    var store = try open(path, isEncrypted, [])
    #expect(try store.verify().problemCount == 0)
    let pieces = try #require(try store.backend.keyspaces().first { $0.name == Array("Piece".utf8) })
    // Removes a row without its index entries.
    try store.backend.commit { batch in batch.remove(row: 7, in: pieces.id) }
    let problems = try store.verify().problems.filter { $0.kind == .wrongIndex }
    // Seven indexes have one entry of the row; the one of favourites has none.
    #expect(Set(problems.compactMap(\.rowID)) == [7])
    #expect(problems.allSatisfy { $0.className == "Piece" })
    #expect(
      problems.contains {
        $0.message == "Index \"seconds\": The index has an entry for a row that does not exist." && $0.rowID == 7
      })
    let counts = problems.filter { $0.rowID == nil }
    #expect(counts.count == 6, "no count of the partial index and of the index of elements: \(counts)")
    #expect(counts.contains { $0.message == "Index \"isrc\": The index has 900 entries, but should have 899." })
    try store.close()
    store = try open(path, isEncrypted, Self.types)
    try store.rebuildIndexes(of: Piece.self)
    try store.close()
    store = try open(path, isEncrypted, [])
    #expect(try store.verify().problems.filter { $0.kind == .wrongIndex }.isEmpty)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `verify reports no wrong index for rows that damage hides`(_ isEncrypted: Bool) throws {
    try makeStore(isEncrypted)
    try apply(.pagesOfRows)
    for types in [[], Self.types] {
      let store = try open(path, isEncrypted, types, isReadOnly: true)
      let report = try store.verify()
      #expect(!report.isSound)
      #expect(report.problems.allSatisfy { $0.kind != .wrongIndex }, "\(report.problems)")
      try store.close()
    }
  }

  // MARK: The store

  private func open(
    _ path: String, _ isEncrypted: Bool, _ types: [StoredObject.Type], isReadOnly: Bool = false
  ) throws -> Store {
    var configuration = StoreConfiguration(encryption: isEncrypted ? Self.secret : .none)
    if isReadOnly { configuration.access = .read }
    return try Store(.directory(path), classes: types, configuration: configuration)
  }

  private static func isrc(_ number: Int) -> String? { number % 5 == 0 ? nil : "US\(number)" }

  private func makeStore(_ isEncrypted: Bool) throws {
    let store = try open(path, isEncrypted, Self.types)
    var discs: [Disc] = []
    for number in 0..<Self.discCount {
      let disc = Disc()
      disc.title = "disc \(number)"
      discs.append(disc)
    }
    for number in 0..<Self.pieceCount {
      let piece = Piece()
      piece.title = number % 3 == 0 ? "Écoute \(number)" : "piece \(number)"
      if number % 7 == 0 { piece.title += String(repeating: " long", count: 100) }
      piece.seconds = UInt32(number * 7919 % Self.pieceCount)
      piece.genre = number % 4 == 0 ? nil : "genre \(number % 4)"
      piece.isrc = Self.isrc(number)
      piece.rating = Double(number % 50) / 10
      piece.isFavourite = number % 6 == 1
      piece.tags = number % 2 == 0 ? ["live", "old"] : ["old"]
      piece.album = discs[number % discs.count]
      try store.insert(piece)
    }
    for disc in discs { try store.insert(disc) }
    try store.saveChanges()
    try store.close()
  }

  private func apply(_ damage: Damage) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    let rows = try #require(
      try names.filter { $0.hasSuffix(".kch") && !$0.contains("catalog") }.max { try size($0) < size($1) })
    switch damage {
    case .nothing: break
    case .pagesOfRows: try overwritePages(of: rows, every: 3, with: 0)
    case .garbageInRows: try overwritePages(of: rows, every: 2, with: 0xA5)
    case .allRows: try overwritePages(of: rows, every: 1, with: 0)
    case .indexes:
      for name in names where name.hasSuffix(".kct") { try overwritePages(of: name, every: 2, with: 0) }
    case .pagesOfRowsAndCatalog:
      try overwritePages(of: rows, every: 3, with: 0)
      for name in names where name.contains("catalog") {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
    }
  }

  private func size(_ name: String) throws -> Int { try Data(contentsOf: URL(filePath: "\(path)/\(name)")).count }

  /// Overwrites pages of records, but not the header, which stores the row ids.
  private func overwritePages(of name: String, every step: Int, with byte: UInt8) throws {
    let url = URL(filePath: "\(path)/\(name)")
    var bytes = try Data(contentsOf: url)
    for start in stride(from: 4096, to: bytes.count, by: 4096 * step) {
      let end = min(start + 4096, bytes.count)
      bytes.replaceSubrange(start..<end, with: Data(repeating: byte, count: end - start))
    }
    try bytes.write(to: url)
  }
}
