// Indexes and queries over a backend that fails one call after another.
import TestSupport
import Testing
import Todana

/// The base class of three versions of a program's coins: one without an index, two with indexes.
private class AnyCoin: StoredObject {
  final var serial = ""
  final var value: UInt32 = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    serial = try buffer.readString()
    value = try buffer.readUInt32()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(serial)
    buffer.writeUInt32(value)
  }
}

private final class PlainCoin: AnyCoin {
  override class var storedName: String { "Coin" }
}

private final class IndexedCoin: AnyCoin {
  override class var storedName: String { "Coin" }
  override class var indexes: [Index] {
    [Index(\IndexedCoin.serial, unique: true, name: "serial"), Index(\IndexedCoin.value, name: "value")]
  }
}

/// A version that declares one index name with another key and lacks the other index.
private final class OtherCoin: AnyCoin {
  override class var storedName: String { "Coin" }
  override class var indexes: [Index] { [Index(.descending(\OtherCoin.value), name: "value")] }
}

@Suite(.plainAndEncrypted) struct IndexFaultTests {
  let backend = FaultyBackend()
  private static let failure = BackendError(.inputOutput, "The disk does not answer.")

  /// Calls an operation with the backend's first call failing, then the second, and so on, until the operation
  /// succeeds.
  ///
  /// Calls `check` after each failure, when no call fails.
  ///
  /// - Returns: The number of calls that failed.
  @discardableResult
  private func failEachCall(
    of backend: FaultyBackend, sourceLocation: SourceLocation = #_sourceLocation,
    prepare: () throws -> Void = {}, _ operation: () throws -> Void, check: (Int) throws -> Void = { _ in }
  ) throws -> Int {
    for number in 0..<10_000 {
      try prepare()
      backend.failCall(after: number, with: Self.failure)
      do {
        try operation()
        try #require(
          backend.failNoCall(), "the failure of call \(number) was not reported", sourceLocation: sourceLocation)
        return number
      } catch let error as StoreError {
        backend.failNoCall()
        try #require(error.backendError?.code == .inputOutput, "\(error)", sourceLocation: sourceLocation)
        try check(number)
      }
    }
    throw StoreError(.backend, "It never goes through.")
  }

  // MARK: Saves

  private func openPieces() throws -> Store { try Store(backend: backend, classes: [Piece.self, Disc.self]) }

  private func fill(_ store: Store, _ generator: inout QueryGenerator, count: Int) throws -> [Piece] {
    var number = 0
    return try (0..<count).map { _ in
      let piece = Piece()
      generator.fill(piece, uniqueNumber: &number)
      try store.insert(piece)
      return piece
    }
  }

  private func makeGenerator(_ store: Store) throws -> QueryGenerator {
    let disc = Disc()
    disc.title = "Blue"
    try store.insert(disc)
    return QueryGenerator(generator: SeededGenerator(seed: 11), albums: [disc])
  }

  /// Makes changes of all kinds.
  ///
  /// One object takes over a unique value from another, and two objects swap theirs.
  private func change(_ pieces: [Piece], in store: Store, _ generator: inout QueryGenerator) throws {
    for (position, piece) in pieces.enumerated().dropFirst(4) {
      if position % 3 == 0 { try store.delete(piece) }
      if position % 3 == 1 { try store.update(piece) { $0.seconds += 1 } }
    }
    for (piece, isrc) in zip(pieces, ["swapped 2", "swapped 1", nil, "passed on"]) {
      try store.update(piece) { $0.isrc = isrc }
    }
    let piece = Piece()
    (piece.title, piece.isrc, piece.tags) = ("new", "new", ["a"])
    try store.insert(piece)
  }

  private struct Scene {
    let store: Store
    let conditions: [ModelCondition]
    let before: [[RowID]]
    let after: [[RowID]]
  }

  /// Makes a store with unsaved changes, and the results of queries before and after the save.
  private func makeScene() throws -> Scene {
    let store = try openPieces()
    var generator = try makeGenerator(store)
    let pieces = try fill(store, &generator, count: 40)
    for (piece, isrc) in zip(pieces, ["swapped 1", "swapped 2", "passed on", nil]) { piece.isrc = isrc }
    try store.saveChanges()
    let conditions = (0..<12).map { _ in generator.condition() }
    func answers() throws -> [[RowID]] {
      let values = try store.fetch(Piece.self).map { PieceValues($0, rowID: $0.id?.rowID ?? 0) }
      return conditions.map { values.filter($0.holds).map(\.rowID) }
    }
    let before = try answers()
    try change(pieces, in: store, &generator)
    let after = try answers()
    #expect(before != after)
    return Scene(store: store, conditions: conditions, before: before, after: after)
  }

  private func answers(_ store: Store, _ conditions: [ModelCondition], includingPending: Bool) throws -> [[RowID]] {
    try conditions.map { condition in
      try store.ids(Piece.where { _ in condition.condition }, includingPending: includingPending).map(\.rowID)
    }
  }

  @Test func `a failed save leaves records and entries unchanged, and succeeds when tried again`() throws {
    let scene = try makeScene()
    let store = scene.store
    let records = backend.records
    let failureCount = try failEachCall(of: backend) {
      try store.saveChanges()
    } check: { number in
      #expect(backend.records == records, "call \(number)")
      #expect(store.hasUnsavedChanges)
      let reader = try openPieces()
      #expect(try reader.verify().problems.isEmpty, "call \(number)")
      #expect(try answers(reader, scene.conditions, includingPending: true) == scene.before)
      #expect(try answers(store, scene.conditions, includingPending: false) == scene.before)
      #expect(try answers(store, scene.conditions, includingPending: true) == scene.after)
    }
    // The save reads the saved records of changed objects before the commit.
    #expect(failureCount >= 2)
    #expect(!store.hasUnsavedChanges)
    #expect(try openPieces().verify().problems.isEmpty)
    #expect(try answers(openPieces(), scene.conditions, includingPending: true) == scene.after)
  }

  @Test(arguments: [false, true], [false, true])
  func `entries match the stored records after a failed flush`(isApplied: Bool, isAsynchronous: Bool) async throws {
    let scene = try makeScene()
    let store = scene.store
    backend.failFlush(isApplied: isApplied)
    do {
      if isAsynchronous { try await store.save() } else { try store.saveChanges() }
      Issue.record("the flush failed")
    } catch let error as StoreError {
      #expect(error.code == .mustReopen)
    }
    try store.reopen()
    let reader = try openPieces()
    #expect(try reader.verify().problems.isEmpty)
    #expect(
      try answers(reader, scene.conditions, includingPending: true) == (isApplied ? scene.after : scene.before))
    #expect(store.hasUnsavedChanges == !isApplied)
    #expect(try answers(store, scene.conditions, includingPending: true) == scene.after)
    try store.saveChanges()
    #expect(try openPieces().verify().problems.isEmpty)
    #expect(try answers(openPieces(), scene.conditions, includingPending: true) == scene.after)
  }

  // MARK: Queries

  private static let reads: [(name: String, body: @Sendable (Store, Query<Piece>) throws -> Void)] = [
    ("fetch", { _ = try $0.fetch($1) }),
    // The failure is not a damaged record, so a damage policy cannot skip it.
    ("fetch what is sound", { _ = try $0.fetch($1, onDamage: .report { _ in }) }),
    ("ids", { _ = try $0.ids($1) }),
    ("count", { _ = try $0.count($1) }),
    ("values", { _ = try $0.values($1, of: \.seconds) }),
    ("forEach", { try $0.forEach($1) { _, _ in } }),
    ("explain", { _ = try $0.explain($1) }),
    ("update", { _ = try $0.update($1) { $0.seconds += 1 } }),
    ("delete", { _ = try $0.delete($1) }),
  ]

  private static let queries: [(query: Query<Piece>, access: QueryPlan.Access)] = [
    (Piece.where { $0.seconds == 7 }, .index),
    (Piece.where { $0.seconds > 3 }.sorted(by: \.seconds, .descending).limit(20), .index),
    (Piece.where { $0.seconds > 3 && $0.seconds < 9 }.sorted(by: \.title), .scan),
    (Piece.where { $0.isrc == "I5" || $0.seconds == 3 }, .union),
    (Piece.where { $0.tags.contains("a") }, .index),
    (Piece.where { !$0.isFavourite }.limit(3), .index),
    (Piece.where { $0.title.contains("e") }.sorted(by: \.rating), .scan),
  ]

  @Test(arguments: queries.indices)
  func `a query throws read errors, and finds everything afterwards`(query index: Int) throws {
    let (query, access) = Self.queries[index]
    let writer = try openPieces()
    var generator = try makeGenerator(writer)
    _ = try fill(writer, &generator, count: 80)
    try writer.saveChanges()
    let plan = try writer.explain(query)
    #expect(plan.access == access, "\(plan)")
    let expected = try writer.ids(query)
    for (name, read) in Self.reads {
      var store = writer
      let failureCount = try failEachCall(of: backend) {
        // Open a new store each time, because it has no objects in memory.
        store = try openPieces()
      } _: {
        try read(store, query)
      } check: { number in
        #expect(!store.hasUnsavedChanges, "\(name), call \(number)")
        let objects = try store.fetch(query)
        #expect(objects.map(\.id) == expected, "\(name), call \(number)")
      }
      // Each read makes at least two calls: a snapshot and a count.
      #expect(failureCount >= 2, "\(name)")
    }
    #expect(backend.openSnapshotCount == 0)
    #expect(try writer.verify().problems.isEmpty)
  }

  // MARK: Building

  private func open<T: AnyCoin>(
    _ backend: FaultyBackend, _ type: T.Type, building: IndexBuildingTime = .onOpening
  ) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = building
    return try Store(backend: backend, classes: [type], configuration: configuration)
  }

  /// Makes a backend with coins and no index.
  private func makeCoins() throws -> FaultyBackend {
    let backend = FaultyBackend()
    let store = try open(backend, PlainCoin.self)
    for number in 0..<25 {
      let coin = PlainCoin()
      (coin.serial, coin.value) = ("\(number)", UInt32(number % 10))
      try store.insert(coin)
    }
    try store.saveChanges()
    try store.close()
    return backend
  }

  /// Expects that the indexes are complete and correct, and that queries with them find all coins.
  private func expectWhole(_ backend: FaultyBackend, _ call: Int) throws {
    let store = try open(backend, IndexedCoin.self)
    #expect(try store.indexes.allSatisfy(\.isComplete), "call \(call)")
    #expect(try store.verify().problems.isEmpty, "call \(call)")
    let coins = try store.fetch(IndexedCoin.self)
    let query = IndexedCoin.where { $0.value == 3 }
    #expect(try store.explain(query).access == .index, "call \(call)")
    #expect(try store.fetch(query).map(\.serial) == coins.filter { $0.value == 3 }.map(\.serial), "call \(call)")
    for coin in coins.prefix(10) {
      #expect(try store.first(IndexedCoin.where { $0.serial == coin.serial }) === coin, "call \(call)")
    }
    try store.close()
  }

  private func changeCoins<T: AnyCoin>(_ store: Store, _ type: T.Type) throws {
    let coins = try store.fetch(T.self)
    try store.update(coins[1]) { $0.serial = coins[2].serial }
    try store.update(coins[2]) { $0.serial = "other" }
    try store.update(coins[3]) { $0.value += 1 }
    try store.delete(coins[4])
    let coin = T()
    coin.serial = coins[4].serial
    try store.insert(coin)
    try store.saveChanges()
  }

  @Test func `an opening that fails while it begins or builds indexes does not disturb the next one`() throws {
    let backend = try makeCoins()
    try failEachCall(of: backend) { try open(backend, IndexedCoin.self).close() }
    try expectWhole(backend, 0)
    // Repeat with new coins for each failing call.
    var isThrough = false
    for number in 0..<1_000 where !isThrough {
      let backend = try makeCoins()
      backend.failCall(after: number, with: Self.failure)
      do {
        try open(backend, IndexedCoin.self).close()
        try #require(backend.failNoCall(), "the failure of call \(number) was not reported")
        isThrough = true
        #expect(number > 8)
      } catch let error as StoreError {
        #expect(error.backendError?.code == .inputOutput)
      }
      // Another program, with or without indexes of its own, may open the store first.
      if number % 3 == 0 { try changeCoins(open(backend, PlainCoin.self), PlainCoin.self) }
      if number % 3 == 1 { try changeCoins(open(backend, OtherCoin.self), OtherCoin.self) }
      try expectWhole(backend, number)
    }
  }

  @Test(arguments: [false, true])
  func `a failed building can be resumed after further saves`(isAgain: Bool) throws {
    var isThrough = false
    for number in 0..<1_000 where !isThrough {
      let backend = try makeCoins()
      let store = try open(backend, IndexedCoin.self, building: isAgain ? .onOpening : .manual)
      backend.failCall(after: number, with: Self.failure)
      do {
        if isAgain { try store.rebuildIndexes(of: IndexedCoin.self) } else { try store.buildIndexes() }
        try #require(backend.failNoCall(), "the failure of call \(number) was not reported")
        isThrough = true
      } catch let error as StoreError {
        #expect(error.backendError?.code == .inputOutput)
      }
      #expect(try store.verify().problems.isEmpty, "call \(number)")
      try changeCoins(store, IndexedCoin.self)
      #expect(try store.verify().problems.isEmpty, "call \(number)")
      try store.buildIndexes()
      #expect(try store.indexes.allSatisfy(\.isComplete), "call \(number)")
      try store.close()
      try expectWhole(backend, number)
    }
  }

  @Test func `a failed save leaves an unfinished index unchanged`() throws {
    // Building stops after a commit that stores its progress, with a part of the entries.
    var callCount = 0
    while true {
      let backend = try makeCoins()
      let store = try open(backend, IndexedCoin.self, building: .manual)
      backend.failCall(after: callCount, with: Self.failure)
      do {
        try store.buildIndexes()
        break
      } catch let error as StoreError where error.backendError?.code == .inputOutput {
        callCount += 1
      }
      let coins = try store.fetch(IndexedCoin.self)
      try store.update(coins[1]) { $0.serial = coins[2].serial }
      try store.update(coins[2]) { $0.serial = coins[1].serial + " " }
      try store.delete(coins[4])
      let records = backend.records
      try failEachCall(of: backend) {
        try store.saveChanges()
      } check: { number in
        let report = try store.verify()
        #expect(backend.records == records && report.problems.isEmpty, "calls \(callCount - 1) and \(number)")
      }
      #expect(try store.verify().problems.isEmpty)
      try store.close()
      try expectWhole(backend, callCount - 1)
    }
    #expect(callCount > 4)
  }
}
