import TestSupport
import Testing
import Todana

/// A call that reads records, and its expected result for the readable ones.
struct ReadingCall: CustomTestStringConvertible {
  let testDescription: String
  /// Whether the call reads every record, or ends early.
  let readsAll: Bool
  let answer: (Store, DamagePolicy) throws -> String
  let expected: ([Melodies.Known]) -> String

  init(
    _ name: String, readsAll: Bool = true, _ answer: @escaping (Store, DamagePolicy) throws -> String,
    _ expected: @escaping ([Melodies.Known]) -> String
  ) {
    testDescription = name
    self.readsAll = readsAll
    self.answer = answer
    self.expected = expected
  }
}

private let long = Melody.where { $0.seconds >= 100 }
private let bySeconds = long.sorted(by: \.seconds).sorted(by: \.title)

private func titles(_ melodies: some Sequence<AnyMelody>) -> String { melodies.map(\.title).joined(separator: ",") }
private func titles(_ melodies: some Sequence<Melodies.Known>) -> String {
  melodies.map(\.title).joined(separator: ",")
}
private func long(_ melodies: [Melodies.Known]) -> [Melodies.Known] { melodies.filter { $0.seconds >= 100 } }
private func sorted(_ melodies: [Melodies.Known]) -> [Melodies.Known] {
  long(melodies).sorted { ($0.seconds, $0.title) < ($1.seconds, $1.title) }
}

private nonisolated(unsafe) let calls: [ReadingCall] = [
  ReadingCall("fetch(Class)", { titles(try $0.fetch(Melody.self, onDamage: $1)) }, { titles($0) }),
  ReadingCall(
    "forEach(Class)",
    { store, policy in
      var all: [Melody] = []
      try store.forEach(Melody.self, onDamage: policy) { track, _ in all.append(track) }
      return titles(all.sorted { ($0.id?.rowID ?? 0) < ($1.id?.rowID ?? 0) })
    }, { titles($0) }),
  ReadingCall("fetch(query)", { titles(try $0.fetch(long, onDamage: $1)) }, { titles(long($0)) }),
  ReadingCall(
    "fetch(text)", { titles(try $0.fetch(Melody.where("seconds >= ?", 100), onDamage: $1)) }, { titles(long($0)) }),
  ReadingCall("fetch(sorted)", { titles(try $0.fetch(bySeconds, onDamage: $1)) }, { titles(sorted($0)) }),
  ReadingCall(
    "fetch(sorted.offset.limit)", { titles(try $0.fetch(bySeconds.offset(7).limit(20), onDamage: $1)) },
    { titles(sorted($0).dropFirst(7).prefix(20)) }),
  ReadingCall(
    "fetch(offset)", { titles(try $0.fetch(Melody.all.offset(90), onDamage: $1)) }, { titles($0.dropFirst(90)) }),
  ReadingCall(
    "fetch(offset.limit)", readsAll: false, { titles(try $0.fetch(Melody.all.offset(90).limit(100), onDamage: $1)) },
    { titles($0.dropFirst(90).prefix(100)) }),
  ReadingCall(
    "fetch(query.offset.limit)", readsAll: false, { titles(try $0.fetch(long.offset(40).limit(60), onDamage: $1)) },
    { titles(long($0).dropFirst(40).prefix(60)) }),
  ReadingCall("first(query)", { titles([try $0.first(bySeconds, onDamage: $1)].compactMap { $0 }) }) {
    titles(sorted($0).prefix(1))
  },
  ReadingCall("count(query)", { "\(try $0.count(long, onDamage: $1))" }, { "\(long($0).count)" }),
  ReadingCall(
    "count(query.limit)", readsAll: false, { "\(try $0.count(long.limit(30), onDamage: $1))" }, { _ in "30" }),
  ReadingCall("exists", { "\(try $0.exists(Melody.where { $0.seconds > 1000 }, onDamage: $1))" }, { _ in "false" }),
  ReadingCall(
    "ids(query)", { "\(try $0.ids(long, onDamage: $1).map(\.rowID))" }, { "\(long($0).map(\.rowID))" }),
  ReadingCall(
    "values(of: ordered)", { "\(try $0.values(bySeconds, of: \.seconds, onDamage: $1))" },
    { "\(sorted($0).map(\.seconds))" }),
  ReadingCall(
    "values { }", { "\(try $0.values(Melody.all, onDamage: $1) { $0.title + "!" })" },
    { "\($0.map { $0.title + "!" })" }
  ),
  ReadingCall(
    "distinctValues", { "\(try $0.distinctValues(Melody.all, of: \.mood, onDamage: $1))" },
    { "\(Set($0.map(\.mood)).sorted())" }),
  ReadingCall(
    "sum", { "\(try $0.sum(Melody.all, of: \.seconds, onDamage: $1))" }, { "\($0.reduce(0) { $0 + Int($1.seconds) })" }),
  ReadingCall(
    "average", { "\(try $0.average(long, of: \.seconds, onDamage: $1) ?? 0)" },
    { "\(Double(long($0).reduce(0) { $0 + Int($1.seconds) }) / Double(long($0).count))" }),
  ReadingCall(
    "minimum", { "\(try $0.minimum(long, of: \.title, onDamage: $1) ?? "")" }, { long($0).map(\.title).min() ?? "" }),
  ReadingCall(
    "maximum", { "\(try $0.maximum(Melody.all, of: \.seconds, onDamage: $1) ?? 0)" },
    { "\($0.map(\.seconds).max() ?? 0)" }),
  ReadingCall(
    "groups", { "\(try $0.groups(Melody.all, by: \.mood, onDamage: $1).map { [Int($0.key), $0.count] })" },
    { melodies in "\((0..<2).map { mood in [mood, melodies.filter { $0.mood == UInt8(mood) }.count] })" }),
  ReadingCall(
    "groups(of:)",
    { "\(try $0.groups(Melody.all, by: \.mood, of: \.seconds, onDamage: $1).map(\.summary.sum))" },
    { melodies in
      "\((0..<2).map { mood in melodies.filter { $0.mood == UInt8(mood) }.reduce(0) { $0 + Int($1.seconds) } })"
    }),
  ReadingCall(
    "forEach(query)",
    { store, policy in
      var all: [Melody] = []
      try store.forEach(bySeconds, onDamage: policy) { track, _ in all.append(track) }
      return titles(all)
    }, { titles(sorted($0)) }),
  ReadingCall(
    "update(query)", { titles(try $0.update(long, onDamage: $1) { $0.seconds += 1 }) }, { titles(long($0)) }),
  ReadingCall(
    "delete(query)", { "\(try $0.delete(long, onDamage: $1).map(\.rowID))" }, { "\(long($0).map(\.rowID))" }),
  ReadingCall(
    "upsert",
    { store, policy in
      let track = Melody()
      track.title = "no such title"
      return "\(try store.upsert(track, by: \.title, onDamage: policy) === track)"
    }, { _ in "true" }),
]

@Suite(.plainAndEncrypted) struct UnreadableRecordTests {
  @Test(arguments: Flaw.allCases, [1, 2] as [UInt64])
  func `every call leaves out unreadable records, and reports each once`(_ flaw: Flaw, _ seed: UInt64) throws {
    let melodies = try Melodies(400, unreadable: 9, flaw, seed: seed)
    for call in unsafe calls {
      let store = try Store(backend: melodies.backend, classes: [Melody.self])
      let (answer, rows) = try melodies.reported { try call.answer(store, $0) }
      #expect(answer == call.expected(melodies.readable), "\(call.testDescription)")
      #expect(Set(rows).count == rows.count, "\(call.testDescription)")
      #expect(
        call.readsAll ? Set(rows) == melodies.unreadable : melodies.unreadable.isSuperset(of: rows),
        "\(call.testDescription)")
      store.discardChanges()
      guard call.readsAll else { continue }
      let error = #expect(throws: StoreError.self, "\(call.testDescription)") { try call.answer(store, .fail) }
      #expect(error?.code == flaw.code && error?.className == "Melody")
      #expect(error?.rowID.map(melodies.unreadable.contains) == true)
      store.discardChanges()
    }
  }

  @Test func `threads that share a scan report on the caller's thread`() throws {
    let melodies = try Melodies(20_000, unreadable: 40, .unknownContent)
    let store = try Store(backend: melodies.backend, classes: [Melody.self])
    let (answer, rows) = try melodies.reported { try store.ids(long, onDamage: $0) }
    #expect(answer.map(\.rowID) == melodies.readable.filter { $0.seconds >= 100 }.map(\.rowID))
    #expect(rows.count == 40 && Set(rows) == melodies.unreadable)
    let error = #expect(throws: StoreError.self) { try store.count(long) }
    #expect(error?.code == .unreadableContent)
  }

  @Test(arguments: Flaw.allCases) func `calls that need no content count unreadable records`(_ flaw: Flaw) throws {
    let melodies = try Melodies(100, unreadable: 5, flaw)
    let store = try Store(backend: melodies.backend, classes: [Melody.self])
    #expect(try store.count(Melody.self) == 100)
    #expect(try store.count(Melody.all) == 100)
    #expect(try store.ids(Melody.all).count == 100)
    #expect(try store.count(Melody.all.offset(10).limit(50)) == 50)
  }

  @Test(arguments: Flaw.allCases)
  func `asynchronous calls and fetches by id leave out unreadable records`(_ flaw: Flaw) async throws {
    let melodies = try Melodies(300, unreadable: 6, flaw)
    let store = try Store(backend: melodies.backend, classes: [Melody.self])
    var rows: [RowID] = []
    let policy = DamagePolicy.report { rows.append($0.rowID ?? 0) }
    #expect(titles(try await store.all(Melody.self, onDamage: policy)) == titles(melodies.readable))
    #expect(rows.count == 6 && Set(rows) == melodies.unreadable)
    rows = []
    var count = 0
    for try await _ in store.objects(Melody.self, onDamage: policy) { count += 1 }
    #expect(count == 294 && rows.count == 6 && Set(rows) == melodies.unreadable)
    rows = []
    let ids: [ObjectID<Melody>] = (melodies.all.keys.sorted() + melodies.unreadable.sorted()).map { melodies.id($0) }
    let found = try store.fetch(ids, onDamage: policy)
    #expect(found.count == 306 && found.filter { $0 == nil }.count == 12)
    #expect(rows.count == 6 && Set(rows) == melodies.unreadable)
    #expect(throws: StoreError.self) { try store.fetch(ids) }
  }

  @Test(arguments: [Flaw.unknownContent, .flippedBit, .damagedPage])
  func `an index answers without reading the records`(_ flaw: Flaw) throws {
    let melodies = try Melodies(200, unreadable: 8, flaw, writtenBy: FormerIndexedMelody.self)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    let long = IndexedMelody.where { $0.seconds >= 285 }
    let expected = melodies.all.filter { $0.value.seconds >= 285 }
    #expect(try store.count(long) == expected.count)
    #expect(try Set(store.ids(long).map(\.rowID)) == Set(expected.keys))
    #expect(try store.values(long, of: \.seconds).sorted() == expected.map(\.value.seconds).sorted())
    let unreadable = melodies.unreadable.filter { expected[$0] != nil }
    let (objects, rows) = try melodies.reported { try store.fetch(long, onDamage: $0) }
    #expect(objects.count == expected.count - unreadable.count && rows.count == unreadable.count)
    #expect(Set(rows) == unreadable)
    // A limit counts readable objects only.
    let sorted = IndexedMelody.all.sorted(by: \.seconds)
    let (first, _) = try melodies.reported { try store.fetch(sorted.offset(20).limit(150), onDamage: $0) }
    #expect(first.map(\.seconds) == melodies.readable.map(\.seconds).sorted().dropFirst(20).prefix(150).map { $0 })
    for rowID in melodies.unreadable {
      let title = try #require(melodies.all[rowID]?.title)
      let (none, rows) = try melodies.reported {
        try store.first(IndexedMelody.where { $0.title == title }, onDamage: $0)
      }
      #expect(none == nil && rows == [rowID])
    }
  }

  @Test func `a live query reports unreadable records and continues`() async throws {
    let melodies = try Melodies(50, unreadable: 3, .unknownContent)
    let store = try Store(backend: melodies.backend, classes: [Melody.self])
    var rows: [RowID] = []
    let live = store.observe(long.sorted(by: \.title), onDamage: .report { rows.append($0.rowID ?? 0) })
    var changes = live.makeAsyncIterator()
    let first = try #require(try await changes.next())
    #expect(first.count == melodies.readable.filter { $0.seconds >= 100 }.count)
    #expect(rows.count == 3 && Set(rows) == melodies.unreadable)
    // A readable record that another program makes unreadable.
    let victim = try #require(melodies.readable.first { $0.seconds >= 100 })
    let former = try Store(backend: melodies.backend, classes: [FormerMelody.self])
    try former.update(#require(try former.fetch(melodies.id(victim.rowID, as: FormerMelody.self)))) { $0.mood = 2 }
    let repaired = try #require(melodies.unreadable.min())
    try former.update(#require(try former.fetch(melodies.id(repaired, as: FormerMelody.self)))) {
      $0.mood = 0
      $0.seconds = 200
    }
    try former.saveChanges()
    let second = try #require(try await changes.next())
    #expect(second.count == first.count)
    #expect(second.ids.contains(melodies.id(repaired)) && !second.ids.contains(melodies.id(victim.rowID)))
    #expect(rows.count == 4 && rows.last == victim.rowID)
    #expect(try second.objects(onDamage: .report { _ in Issue.record("all can be read") }).count == second.count)

    var failing = store.observe(long).makeAsyncIterator()
    await #expect(throws: StoreError.self) { _ = try await failing.next() }
  }

  @Test(arguments: Flaw.allCases)
  func `references to unreadable or deleted objects do not hide the others`(_ flaw: Flaw) throws {
    let melodies = try Melodies(60, unreadable: 4, flaw)
    let gone = try #require(melodies.readable.first?.rowID)
    let store = try Store(backend: melodies.backend, classes: [Reference.self, Melody.self])
    for rowID in melodies.all.keys.sorted() {
      let reference = Reference()
      reference.track = try store.fault(melodies.id(rowID))
      reference.melodies = [try store.fault(melodies.id(rowID)), try store.fault(melodies.id(gone))]
      try store.insert(reference)
    }
    try store.saveChanges()
    try store.delete(#require(try store.fetch(melodies.id(gone, as: Melody.self))))
    try store.saveChanges()
    try store.turnCleanObjectsIntoFaults()
    let bad = melodies.unreadable.union([gone])

    var (references, rows) = try melodies.reported { try store.fetch(Reference.self, loading: \.track, onDamage: $0) }
    #expect(references.count == 60 && references.filter { $0.track?.isFault == true }.count == bad.count)
    #expect(rows.count == bad.count && Set(rows) == bad)
    try store.turnCleanObjectsIntoFaults()
    (references, rows) = try melodies.reported { try store.fetch(Reference.self, loading: \.melodies, onDamage: $0) }
    #expect(references.count == 60 && rows.count == bad.count && Set(rows) == bad)
    #expect(throws: StoreError.self) { try store.fetch(Reference.self, loading: \.melodies) }

    let all = references.compactMap(\.track)
    try store.turnCleanObjectsIntoFaults()
    (_, rows) = try melodies.reported { try store.load(all, onDamage: $0) }
    #expect(rows.count == bad.count && Set(rows) == bad)
    #expect(all.filter { !$0.isFault }.count == 60 - bad.count)
    (_, rows) = try melodies.reported { try store.delete(all, onDamage: $0) }
    #expect(rows.count == bad.count && Set(rows) == bad)
    try store.saveChanges()
    #expect(try store.count(Melody.self) == melodies.unreadable.count)
  }
}

private final class Reference: StoredObject {
  var track: Melody?
  var melodies: [Melody] = []

  override func readContent(from buffer: inout DataBuffer) throws {
    track = try buffer.readReference()
    melodies = try buffer.readReferences()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeReference(track)
    buffer.writeReferences(melodies)
  }
}
