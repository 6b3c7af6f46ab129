// Compares queries of two classes with equal objects: one has random indexes, the other has none.
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Todana

@Suite(.serialized) struct IndexDifferentialTests {
  private static let seeds = RandomSeeds.seeds(new: 2, long: 16)

  @Test(arguments: seeds)
  func `queries give equal answers with any indexes and with none`(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let kinds: [EveryBackend] = [.inMemory, .inMemory, .directory, .encrypted, .faulty]
    let backend = try kinds[Int(seed % UInt64(kinds.count))].open(in: directory)
    defer { try? backend.close() }
    var walk = try Walk(seed: seed, backend: backend)
    do {
      for _ in 0..<(LongTests.areEnabled ? 4 : 2) { try walk.runEpoch(roundCount: 3, queryCount: 8) }
      try walk.finish()
    } catch {
      Issue.record("seed \(seed): \(error)\n\(walk.description)")
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Walk {
    private let backend: any StoreBackend
    private var store: Store
    private var generator: SeededGenerator
    private var plain: SpecimenSide<PlainSpecimen>
    private var indexed: SpecimenSide<IndexedSpecimen>
    private var indexes: [Index] = []
    private var indexTexts: [String] = []
    private var nextNumber = 0
    private var isPending = false

    init(seed: UInt64, backend: any StoreBackend) throws {
      self.backend = backend
      generator = SeededGenerator(seed: seed)
      IndexedSpecimen.declaredIndexes.withLock { $0 = [] }
      let store = try Self.open(backend)
      self.store = store
      let targets = try ["one", "two", "three"].map { name in
        let target = SpecimenTarget()
        target.name = name
        try store.insert(target)
        return target
      }
      try store.saveChanges()
      plain = SpecimenSide(targets: targets)
      indexed = SpecimenSide(targets: targets)
    }

    private static func open(_ backend: any StoreBackend) throws -> Store {
      try Store(backend: backend, classes: [PlainSpecimen.self, IndexedSpecimen.self, SpecimenTarget.self])
    }

    var description: String { indexTexts.joined(separator: "\n") }

    // MARK: Steps

    /// Opens the store with other indexes, and makes changes and queries.
    mutating func runEpoch(roundCount: Int, queryCount: Int) throws {
      if isPending { try save() }
      try reopen()
      for round in 0..<roundCount {
        if round == 2 { try store.buildIndexes() }
        try change(count: round == 0 ? 150 + generator.number(150) : generator.number(20))
        if !generator.chance(3) { try save() }
        if !isPending, generator.chance(3) { try changeElsewhere() }
        try compareProbes()
        for _ in 0..<queryCount { try compareQuery() }
        if !isPending {
          let problems = try plain.follow(in: store) + indexed.follow(in: store)
          if !problems.isEmpty { throw Failure(description: problems.joined(separator: "\n")) }
        }
      }
    }

    mutating func finish() throws {
      if isPending { try save() }
      try store.buildIndexes()
      let problems = try store.verify().problems
      if !problems.isEmpty { throw Failure(description: "verify: \(problems.prefix(3))") }
      try store.close()
    }

    /// Performs the same random choices with both classes.
    private mutating func withBoth<Result: Equatable>(
      _ first: (inout SpecimenSide<PlainSpecimen>, inout SeededGenerator) throws -> Result,
      _ second: (inout SpecimenSide<IndexedSpecimen>, inout SeededGenerator) throws -> Result
    ) throws -> (Result, Result) {
      var generators = (generator, generator)
      let results = (try first(&plain, &generators.0), try second(&indexed, &generators.1))
      guard generators.0.next() == generators.1.next() else {
        throw Failure(description: "the choices are not the same")
      }
      generator = generators.0
      return results
    }

    private mutating func reopen() throws {
      indexes = []
      indexTexts = []
      plain.partialConditions = []
      indexed.partialConditions = []
      var indexedColumns: [[Int]] = []
      for number in 0..<generator.number(7) {
        var condition: Condition<IndexedSpecimen>?
        if generator.chance(4) {
          _ = try withBoth(
            { side, generator in
              side.partialConditions.append(side.columns.partialCondition(&generator))
              return true
            },
            { side, generator in
              let partial = side.columns.partialCondition(&generator)
              side.partialConditions.append(partial)
              condition = partial.value
              return true
            })
        }
        var isUnique = condition == nil && generator.chance(5)
        let (parts, columns) = indexed.columns.indexParts(isUnique: isUnique, &generator)
        if !columns.isEmpty { indexedColumns.append(columns) }
        if isUnique { isUnique = !hasDuplicates(of: parts) }
        indexes.append(
          Index(
            parts: parts, isUnique: isUnique, nilIsDistinct: true, name: "index \(number)", version: 1,
            condition: condition?.node))
        indexTexts.append(
          "index \(number): \(parts.map(\.signature))\(isUnique ? " unique" : "") "
            + (condition == nil ? "" : indexed.partialConditions.last?.text ?? ""))
      }
      try addSimilarIndex()
      if let note = indexed.columns.ordered.firstIndex(where: { $0.name == "note" }) {
        // In the order of this index, the first long text comes late.
        indexes.append(Index(\IndexedSpecimen.note, name: "notes"))
        indexTexts.append("notes")
        indexedColumns.append([note])
      }
      plain.indexedColumns = indexedColumns
      indexed.indexedColumns = indexedColumns
      // Close the store only now, because the checks for duplicates read the specimens of the open store.
      try store.close()
      IndexedSpecimen.declaredIndexes.withLock { $0 = indexes }
      store = try Self.open(backend)
      // A unique index detects no conflict until it is built.
      if generator.chance(2) || indexes.contains(where: \.isUnique) { try store.buildIndexes() }
      try reload()
      let (store, count) = (store, generator.number(4))
      _ = try withBoth(
        { side, generator in
          try side.observe(count, in: store, &generator)
          return true
        },
        { side, generator in
          try side.observe(count, in: store, &generator)
          return true
        })
    }

    /// Adds a partial index like one of the opening before, with a slightly different condition.
    private mutating func addSimilarIndex() throws {
      var condition: Condition<IndexedSpecimen>?
      _ = try withBoth(
        { side, generator in
          side.partialConditions.append(side.columns.similarCondition(&generator))
          return true
        },
        { side, generator in
          let similar = side.columns.similarCondition(&generator)
          side.partialConditions.append(similar)
          condition = similar.value
          return true
        })
      indexes.append(
        Index(
          parts: [.ascending(\IndexedSpecimen.short)], isUnique: false, nilIsDistinct: true, name: "similar",
          version: 1,
          condition: condition?.node))
      indexTexts.append("similar: \(indexed.partialConditions.last?.text ?? "")")
    }

    private mutating func reload() throws {
      let targets = try store.fetch(SpecimenTarget.all.sorted(by: \.name))
      plain.columns = SpecimenColumns(targets: targets)
      indexed.columns = SpecimenColumns(targets: targets)
      try plain.reload(from: store)
      try indexed.reload(from: store)
    }

    private mutating func change(count: Int) throws {
      let store = store
      var numbers = (nextNumber, nextNumber)
      let (first, second) = try withBoth(
        { try $0.change(in: store, count: count, nextNumber: &numbers.0, &$1) },
        { try $0.change(in: store, count: count, nextNumber: &numbers.1, &$1) })
      nextNumber = numbers.0
      isPending = true
      guard first == second else { throw Failure(description: "queries changed \(first) and \(second)") }
    }

    /// Changes and saves through another store of the same files.
    private mutating func changeElsewhere() throws {
      let other = try Self.open(backend)
      let targets = try other.fetch(SpecimenTarget.all.sorted(by: \.name))
      var (otherPlain, otherIndexed) = (
        SpecimenSide<PlainSpecimen>(targets: targets), SpecimenSide<IndexedSpecimen>(targets: targets)
      )
      try otherPlain.reload(from: other)
      try otherIndexed.reload(from: other)
      var generators = (generator, generator)
      var numbers = (nextNumber, nextNumber)
      let first = try otherPlain.change(in: other, count: 8, nextNumber: &numbers.0, &generators.0)
      let second = try otherIndexed.change(in: other, count: 8, nextNumber: &numbers.1, &generators.1)
      guard first == second else { throw Failure(description: "elsewhere, queries changed \(first) and \(second)") }
      generator = generators.0
      nextNumber = numbers.0
      do {
        try other.saveChanges()
      } catch is UniqueViolation {
        other.discardChanges()
      }
      try other.close()
      try store.refresh()
      try reload()
    }

    private mutating func save() throws {
      let uniqueParts = indexes.filter(\.isUnique).map(\.parts)
      let isViolated = uniqueParts.contains { hasDuplicates(of: $0) }
      isPending = false
      do {
        try store.saveChanges()
        if isViolated { throw Failure(description: "duplicates were saved") }
      } catch let violation as UniqueViolation {
        if !isViolated { throw Failure(description: "refused without duplicates: \(violation)") }
        store.discardChanges()
        try reload()
      }
    }

    /// Tests whether two specimens have the same values, none of which is nil.
    private func hasDuplicates(of parts: [IndexPart]) -> Bool {
      var keys: Set<[UInt8]> = []
      for specimen in indexed.specimens where !parts.contains(where: { $0.isNil(specimen) }) {
        let arena = ByteArena()
        var writer = KeyWriter(arena: arena, textByteLimit: .max)
        for part in parts { if case .value(let write) = part.write { write(specimen, &writer) } }
        guard unsafe keys.insert(Array(arena.bytes)).inserted else { return true }
      }
      return false
    }

    // MARK: Queries

    /// Compares queries that use each of the indexes.
    private mutating func compareProbes() throws {
      let store = store
      for numbers in indexed.indexedColumns {
        var texts: [String] = []
        let (first, second) = try withBoth(
          { side, generator in
            side.probes(of: numbers, &generator).map { side.shortResults(of: $0.value, in: store) }
          },
          { side, generator in
            let probes = side.probes(of: numbers, &generator)
            texts = probes.map(\.text)
            return probes.map { side.shortResults(of: $0.value, in: store) }
          })
        for (text, (left, right)) in zip(texts, zip(first, second)) where left != right {
          throw Failure(description: "\(text)\nwithout indexes \(left)\nwith indexes \(right)")
        }
      }
    }

    private mutating func compareQuery() throws {
      let store = store
      let includingPending = !generator.chance(4)
      var text = ""
      let (first, second) = try withBoth(
        { side, generator in
          let query = side.limited(side.query(&generator), &generator)
          return side.results(of: query.value, in: store, includingPending: includingPending, &generator)
        },
        { side, generator in
          let query = side.limited(side.query(&generator), &generator)
          text = query.text + "\n" + ((try? store.explain(query.value))?.description ?? "")
          return side.results(of: query.value, in: store, includingPending: includingPending, &generator)
        })
      if let different = zip(first, second).first(where: { $0 != $1 }) {
        throw Failure(description: "\(text)\nwithout indexes \(different.0)\nwith indexes \(different.1)")
      }
      guard generator.chance(4) else { return }
      let size = generator.element(of: [1, 2, 5, 30])
      let (pages, indexedPages) = try withBoth(
        { side, generator in try side.pages(of: side.query(&generator).value, size: size, in: store) },
        { side, generator in
          let query = side.query(&generator)
          text = query.text + "\n" + ((try? store.explain(query.value))?.description ?? "")
          return try side.pages(of: query.value, size: size, in: store)
        })
      guard pages == indexedPages else {
        throw Failure(description: "pages of \(size): \(text)\nwithout indexes \(pages)\nwith indexes \(indexedPages)")
      }
    }
  }
}
