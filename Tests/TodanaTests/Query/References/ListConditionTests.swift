import TestSupport
import Testing
import Todana

private final class Tune: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var isFavourite = false
  var next: Tune?

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    isFavourite = try buffer.readBool()
    next = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeBool(isFavourite)
    buffer.writeReference(next)
  }
}

private final class Mix: StoredObject {
  var title = ""
  var tunes: [Tune] = []
  var lazy = LazyReferences<Tune>()
  var set: Set<Tune> = []
  var best: Tune?
  var first = Tune()

  override class var fields: [Field] {
    [
      Field("best", \Mix.best), Field("first", \Mix.first), Field("tunes", \Mix.tunes), Field("lazy", \Mix.lazy),
      Field("set", \Mix.set),
    ]
  }

  override class var indexes: [Index] { [Index(\Mix.best), Index(each: \Mix.lazy)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    tunes = try buffer.readReferences()
    lazy = try buffer.readLazyReferences()
    set = Set(try buffer.readReferences(Tune.self))
    best = try buffer.readReference()
    first = try buffer.readReference() ?? Tune()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(tunes)
    buffer.writeReferences(lazy)
    buffer.writeReferences(set.sorted { $0.title < $1.title })
    buffer.writeReference(best)
    buffer.writeReference(first)
  }
}

@Suite(.plainAndEncrypted) struct ListConditionTests {
  /// The store that is queried, in which nothing is loaded.
  let store: Store
  private let tuneIDs: [ObjectID<Tune>]

  init() throws {
    let writer = try Store(backend: FaultyBackend(), classes: [Tune.self, Mix.self])
    let tunes = (0..<40).map { number in
      let tune = Tune()
      tune.title = "t\(number)"
      tune.seconds = UInt32(number * 10)
      tune.isFavourite = number == 5
      return tune
    }
    tuneIDs = try writer.insert(contentsOf: tunes)
    for number in 0..<39 { tunes[number].next = tunes[number + 1] }
    for number in 0..<20 {
      let mix = Mix()
      mix.title = "m\(number)"
      mix.tunes = Array(tunes[number..<(number + number % 4)])
      mix.lazy = LazyReferences(mix.tunes)
      mix.set = Set(mix.tunes)
      mix.best = number.isMultiple(of: 3) ? tunes[number] : nil
      mix.first = tunes[number]
      try writer.insert(mix)
    }
    try writer.saveChanges()
    store = try Store(backend: writer.backend, classes: [Tune.self, Mix.self])
  }

  private func titles(_ query: Query<Mix>) throws -> [String] { try store.fetch(query).map(\.title) }

  /// Returns the titles of mixes with a tune of a number, by the model.
  private func mixes(_ isIncluded: (Int, Range<Int>) -> Bool) -> [String] {
    (0..<20).filter { isIncluded($0, $0..<($0 + $0 % 4)) }.map { "m\($0)" }
  }

  @Test func `a list contains an object that meets a condition`() throws {
    let expected = mixes { $1.contains(10) }
    #expect(!expected.isEmpty)
    #expect(try titles(Mix.where { $0.tunes.contains { $0.title == "t10" } }) == expected)
    #expect(try titles(Mix.where { $0.lazy.contains { $0.title == "t10" } }) == expected)
    #expect(try titles(Mix.where { $0.set.contains { $0.title == "t10" } }) == expected)
    #expect(try titles(Mix.where { $0.tunes.contains { $0.isFavourite } }) == mixes { $1.contains(5) })
    #expect(try titles(Mix.where { $0.tunes.contains { $0.title == "t10" && $0.seconds == 0 } }).isEmpty)
  }

  @Test func `conditions on lists nest and are negated`() throws {
    #expect(try titles(Mix.where { !$0.tunes.contains { $0.seconds < 100 } }) == mixes { $1.allSatisfy { $0 >= 10 } })
    #expect(
      try titles(Mix.where { !$0.tunes.contains { !($0.seconds < 100) } }) == mixes { $1.allSatisfy { $0 < 10 } })
    #expect(try titles(Mix.where { $0.tunes.contains { $0.next.title == "t11" } }) == mixes { $1.contains(10) })
    #expect(
      try titles(Mix.where { $0.lazy.contains { $0.next == tuneIDs[11] } && $0.tunes.count > 1 })
        == mixes { $1.contains(10) && $1.count > 1 })
    #expect(try titles(Mix.where { $0.tunes.contains { $0.id == tuneIDs[10] } }) == mixes { $1.contains(10) })
  }

  @Test func `lists are counted without loading their objects`() throws {
    #expect(try titles(Mix.where { $0.tunes.count > 2 }) == mixes { $1.count > 2 })
    #expect(try titles(Mix.where { $0.lazy.count == 1 }) == mixes { $1.count == 1 })
    #expect(try titles(Mix.where { $0.set.isEmpty || $0.set.count == 3 }) == mixes { [0, 3].contains($1.count) })
  }

  @Test func `lists contain an object or an identity`() throws {
    let tune = try #require(try store.fetch(tuneIDs[10]))
    let expected = mixes { $1.contains(10) }
    let everywhere = Mix.where { $0.tunes.contains(tune) && $0.lazy.contains(tune) && $0.set.contains(tune) }
    #expect(try titles(everywhere) == expected)
    #expect(try titles(Mix.where { $0.tunes.contains(tuneIDs[10]) && $0.set.contains(tuneIDs[10]) }) == expected)
    let query = Mix.where { $0.lazy.contains(tuneIDs[10]) }
    #expect(try titles(query) == expected)
    #expect(try store.explain(query).access == .index)
    #expect(try titles(Mix.where { $0.tunes.contains(Tune()) }).isEmpty)
    for name in ["tunes", "lazy", "set"] {
      #expect(try titles(Mix.where("\(name) CONTAINS ?", tuneIDs[10])) == expected)
    }
  }

  @Test func `a reference is one of several`() throws {
    let (third, sixth) = (tuneIDs[3], tuneIDs[6])
    let tunes = try store.fetch([third, sixth]).compactMap { $0 }
    #expect(try titles(Mix.where { $0.best.isIn(tunes) }) == ["m3", "m6"])
    #expect(try titles(Mix.where { $0.best.isIn([third, tuneIDs[4]]) }) == ["m3"])
    let thirdOrNone = mixes { number, _ in number == 3 || number % 3 != 0 }
    #expect(try titles(Mix.where { $0.best.isIn([tunes[0], nil]) }) == thirdOrNone)
    #expect(try titles(Mix.where { $0.first.isIn(tunes) || $0.first == tuneIDs[1] }) == ["m1", "m3", "m6"])
    #expect(try titles(Mix.where { !$0.best.isIn(tunes) && $0.best != nil }).count == 5)
    #expect(try titles(Mix.where { $0.best.isIn([Tune]()) || $0.first.isIn([Tune()]) }).isEmpty)
    #expect(try store.explain(Mix.where { $0.best.isIn([third, sixth]) }).access == .index)
    #expect(try titles(Mix.where("best IN ?", [third, sixth])) == ["m3", "m6"])
    #expect(try titles(Mix.where("first IN (?, ?)", third, sixth)) == ["m3", "m6"])
    #expect(try titles(Mix.where("best IN ?", [third, nil])) == thirdOrNone)
  }

  @Test func `objects that were deleted meet no condition of a list`() throws {
    try store.delete([tuneIDs[10]])
    try store.saveChanges()
    #expect(try titles(Mix.where { $0.tunes.contains { $0.title == "t10" } }).isEmpty)
    #expect(try titles(Mix.where { $0.tunes.contains { $0.title == "t11" } }) == mixes { $1.contains(11) })
    #expect(try titles(Mix.where { $0.lazy.contains { $0.seconds >= 0 } }) == mixes { $1.contains { $0 != 10 } })
  }

  @Test func `a query loads what its objects refer to`() throws {
    let mixes = try store.fetch(Mix.where { $0.title == "m7" }, loading: \.tunes)
    #expect(mixes.flatMap(\.tunes).map(\.isFault) == [false, false, false])
    let sets = try store.fetch(Mix.where { $0.title == "m11" }, loading: \.set)
    #expect(sets.flatMap { Array($0.set) }.allSatisfy { !$0.isFault })
    let best = try store.fetch(Mix.where { $0.title == "m12" }, loading: \.best)
    #expect(best.first?.best?.isFault == false)
  }
}
