import TestSupport
import Testing
import Todana

/// Indexes built while some records cannot be read.
@Suite(.plainAndEncrypted) struct SkippedRowTests {
  private let long = IndexedMelody.where { $0.seconds >= 270 }

  private func configuration(_ time: IndexBuildingTime) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = time
    return configuration
  }

  @Test(arguments: Flaw.allCases, [IndexBuildingTime.background, .onOpening, .manual])
  func `a new index has the readable rows and lists the skipped ones`(_ flaw: Flaw, _ time: IndexBuildingTime) throws {
    let melodies = try Melodies(200, unreadable: 7, flaw)
    for round in 0..<2 {
      let store = try Store(
        backend: melodies.backend, classes: [IndexedMelody.self], configuration: configuration(time))
      if time == .manual {
        if round == 0 { #expect(try store.indexes.allSatisfy { !$0.isComplete && $0.failure == nil }) }
        try store.buildIndexes()
      }
      for index in try store.indexes {
        #expect(index.isComplete && index.failure == nil && index.entryCount == 193)
        #expect(index.skippedRows == melodies.unreadable.sorted() && index.skippedRowCount == 7)
      }
      #expect(try store.storedIndexes.allSatisfy { $0.isComplete && $0.skippedRowCount == 7 && $0.entryCount == 193 })
      let plan = try store.explain(long)
      #expect(plan.indexNames == ["seconds"], "\(plan)")
      let expected = melodies.readable.filter { $0.seconds >= 270 }
      let (objects, rows) = try melodies.reported { try store.fetch(long, onDamage: $0) }
      #expect(Set(objects.map(\.title)) == Set(expected.map(\.title)) && objects.count == expected.count)
      #expect(rows.sorted() == melodies.unreadable.sorted())
      let (count, counted) = try melodies.reported { try store.count(long, onDamage: $0) }
      #expect(count == expected.count && counted.sorted() == melodies.unreadable.sorted())
      let (maximum, found) = try melodies.reported { try store.maximum(IndexedMelody.all, of: \.seconds, onDamage: $0) }
      #expect(maximum == melodies.readable.map(\.seconds).max() && found.sorted() == melodies.unreadable.sorted())
      for answer in [{ _ = try store.fetch(self.long) }, { _ = try store.count(self.long) }] {
        let error = #expect(throws: StoreError.self) { try answer() }
        #expect(error?.code == flaw.code && error?.rowID.map(melodies.unreadable.contains) == true)
      }
      let problems = try store.verify().problems
      #expect(!problems.contains { $0.kind == .wrongIndex })
      // Changes of readable rows still update the indexes.
      let other = try #require(melodies.readable.first?.rowID)
      try store.update(#require(try store.fetch(melodies.id(other, as: IndexedMelody.self)))) { $0.seconds += 1 }
      try store.saveChanges()
      try store.close()
      melodies.backend.openAgain()
    }
  }

  @Test func `a program that can read skipped rows completes the index when it opens the store`() throws {
    let melodies = try Melodies(100, unreadable: 5, .unknownContent)
    do {
      let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
      #expect(try store.indexes.allSatisfy { $0.skippedRowCount == 5 })
      try store.close()
      melodies.backend.openAgain()
    }
    do {
      // Until this program has built the index, its queries scan.
      let former = try Store(
        backend: melodies.backend, classes: [FormerIndexedMelody.self], configuration: configuration(.manual))
      let expected = melodies.all.values.filter { $0.seconds >= 270 }.count
      let long = FormerIndexedMelody.where { $0.seconds >= 270 }
      #expect(try former.explain(long).indexNames == [] && former.count(long) == expected)
      #expect(try former.verify().isSound)
      try former.buildIndexes()
      #expect(try former.explain(long).indexNames == ["seconds"] && former.count(long) == expected)
      try former.close()
      melodies.backend.openAgain()
    }
    let former = try Store(backend: melodies.backend, classes: [FormerIndexedMelody.self])
    #expect(try former.indexes.allSatisfy { $0.isComplete && $0.skippedRowCount == 0 && $0.entryCount == 100 })
    #expect(try former.verify().isSound)
  }

  @Test(arguments: [true, false]) func `a row that is repaired or deleted is not skipped any more`(
    byAnotherStore: Bool
  ) throws {
    let melodies = try Melodies(100, unreadable: 6, .unknownContent)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    let rows = melodies.unreadable.sorted()
    let former = try Store(
      backend: melodies.backend, classes: [FormerIndexedMelody.self], configuration: configuration(.manual))
    for rowID in rows.prefix(2) {
      try former.update(#require(try former.fetch(melodies.id(rowID, as: FormerIndexedMelody.self)))) { $0.mood = 1 }
    }
    try former.delete(#require(try former.fetch(melodies.id(rows[2], as: FormerIndexedMelody.self))))
    try former.saveChanges()
    let deleting = byAnotherStore ? try Store(backend: melodies.backend, classes: [IndexedMelody.self]) : store
    #expect(try deleting.delete(melodies.ids([rows[3]])) == 1)
    // The row's deletion is pending, so queries do not report the row.
    let (_, pending) = try melodies.reported { try deleting.count(long, onDamage: $0) }
    #expect(pending.sorted() == Array(rows[4...]))
    try deleting.saveChanges()
    #expect(try store.indexes.allSatisfy { $0.skippedRows == Array(rows[4...]) && $0.entryCount == 96 })
    let (_, reported) = try melodies.reported { try store.count(long, onDamage: $0) }
    #expect(reported.sorted() == Array(rows[4...]))
    try store.delete(melodies.ids(rows))
    #expect(try store.indexes.allSatisfy { $0.skippedRowCount == 2 })
    try store.saveChanges()
    #expect(try store.indexes.allSatisfy { $0.skippedRowCount == 0 && $0.isComplete && $0.entryCount == 94 })
    #expect(try store.verify().isSound)
    #expect(try store.explain(long).indexNames == ["seconds"])
    #expect(try store.count(long) >= 0)
  }

  @Test func `an update of a skipped row adds its missing entries`() throws {
    let melodies = try Melodies(40, unreadable: 3, .unknownContent)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    let former = try Store(
      backend: melodies.backend, classes: [FormerIndexedMelody.self], configuration: configuration(.manual))
    // Saving an unchanged value adds the missing entry, too.
    for rowID in melodies.unreadable {
      try former.update(#require(try former.fetch(melodies.id(rowID, as: FormerIndexedMelody.self)))) { $0.mood = 0 }
    }
    try former.saveChanges()
    #expect(try store.indexes.allSatisfy { $0.skippedRowCount == 0 && $0.entryCount == 40 })
    #expect(try store.verify().isSound && former.verify().isSound)
    #expect(try store.count(long) == melodies.all.values.filter { $0.seconds >= 270 }.count)
  }

  @Test func `a unique index does not guarantee the uniqueness of skipped rows`() throws {
    let melodies = try Melodies(30, unreadable: 1, .unknownContent)
    let skipped = try #require(melodies.unreadable.first)
    do {
      let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
      let twin = IndexedMelody()
      twin.title = melodies.all[skipped]?.title ?? ""
      try store.insert(twin)
      try store.saveChanges()
      try store.close()
      melodies.backend.openAgain()
    }
    let former = try Store(backend: melodies.backend, classes: [FormerIndexedMelody.self])
    let title = try #require(try former.indexes.first { $0.name == "title" })
    #expect(title.isUnique && !title.isComplete && title.failure is UniqueViolation && title.skippedRows == [skipped])
    #expect(try former.indexes.first { $0.name == "seconds" }?.skippedRowCount == 0)
    #expect(throws: UniqueViolation.self) { try former.buildIndexes() }
    let twins = FormerIndexedMelody.where { $0.title == (melodies.all[skipped]?.title ?? "") }
    #expect(try former.count(twins) == 2)
    try former.update(#require(try former.fetch(melodies.id(skipped, as: FormerIndexedMelody.self)))) {
      $0.title = "no twin"
    }
    try former.saveChanges()
    try former.buildIndexes()
    #expect(try former.indexes.allSatisfy { $0.isComplete && $0.skippedRowCount == 0 && $0.failure == nil })
    #expect(try former.verify().isSound)
  }

  @Test func `rebuilding skips rows that are still unreadable`() throws {
    let melodies = try Melodies(50, unreadable: 4, .flippedBit)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    try store.rebuildIndexes(of: IndexedMelody.self)
    #expect(try store.indexes.allSatisfy { $0.isComplete && $0.skippedRowCount == 4 && $0.entryCount == 46 })
    #expect(try store.delete(melodies.ids(melodies.unreadable)) == 4)
    try store.saveChanges()
    #expect(try store.verify().isSound)
  }

  @Test func `the reason why an index was not built is reported`() throws {
    let melodies = try Melodies(30, unreadable: 0, .unknownContent)
    let store = try Store(
      backend: melodies.backend, classes: [IndexedMelody.self], configuration: configuration(.manual))
    melodies.backend.failCommit(with: BackendError(.inputOutput, "The disk failed."))
    #expect(throws: StoreError.self) { try store.buildIndexes() }
    #expect(try store.indexes.allSatisfy { !$0.isComplete && ($0.failure as? StoreError)?.code == .backend })
    #expect(throws: Stopped.self) { try store.buildIndexes { _ in throw Stopped() } }
    try store.buildIndexes()
    #expect(try store.indexes.allSatisfy { $0.isComplete && $0.failure == nil })
  }

  private struct Stopped: Error {}
}
