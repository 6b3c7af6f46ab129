// Queries over many objects with few different values, with limits, offsets and positions. The results are compared
// with those of sorting all objects.
import Foundation
import TestSupport
import Testing
import Todana

private final class Reading: StoredObject {
  var station = 0
  var level = 0.0
  var text = ""

  override class var indexes: [Index] {
    [
      Index(\Reading.station), Index(.descending(\Reading.level)), Index(\Reading.station, \Reading.level),
      Index(\Reading.text),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    station = try buffer.readInt()
    level = try buffer.readDouble()
    text = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(station)
    buffer.writeDouble(level)
    buffer.writeString(text)
  }
}

@Suite struct EqualValuesTests {
  /// A store of readings, whose values are often the extreme ones.
  private func makeStore(_ count: Int, _ random: inout SeededGenerator) throws -> Store {
    let store = try Store(.inMemory, classes: [Reading.self])
    for number in 0..<count {
      let reading = Reading()
      reading.station = [Int.min, -1, 255, 255, 255, Int.max].randomElement(using: &random) ?? 0
      reading.level = [-.infinity, -0.0, 0.5, 0.5, .nan].randomElement(using: &random) ?? 0
      reading.text = number % 97 == 0 ? String(repeating: "long ", count: 40) + "\(number % 3)" : "text \(number % 2)"
      try store.insert(reading)
    }
    try store.saveChanges()
    // Rows at regular places are missing.
    try store.delete(store.ids(Reading.all).filter { $0.rowID % 11 == 0 })
    try store.saveChanges()
    return store
  }

  private static let sorted: [@Sendable (Query<Reading>) -> Query<Reading>] = [
    { $0 }, { $0.sorted(by: \.station) }, { $0.sorted(by: \.station, .descending) }, { $0.sorted(by: \.level) },
    { $0.sorted(by: \.level, .descending) }, { $0.sorted(by: \.station, .descending).sorted(by: \.level, .descending) },
    { $0.sorted(by: \.station).sorted(by: \.level, .descending) }, { $0.sorted(by: \.text, .descending) },
  ]
  private static let conditions: [@Sendable (Property<Reading, Int>, Property<Reading, Double>) -> Condition<Reading>] =
    [
      { _, _ in .always }, { station, _ in station == 255 }, { station, _ in station > -1 },
      { _, level in level == 0.5 }, { station, level in station == 255 && level < 1 },
      { station, _ in station == 255 || station == Int.max },
    ]

  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 20))
  func `pages among equal values are parts of the whole result`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try makeStore(3_000, &random)
    for (number, sort) in Self.sorted.enumerated() {
      for (test, condition) in Self.conditions.enumerated() {
        let query = sort(Reading.where { condition($0.station, $0.level) })
        let all = try store.ids(query)
        let comment: Comment = "seed \(seed), sort \(number), condition \(test)"
        #expect(all.count == (try store.count(query)), comment)
        for _ in 0..<4 {
          guard let place = all.indices.randomElement(using: &random) else { continue }
          let object = try #require(try store.fetch(all[place]))
          let limit = Int.random(in: 1...400, using: &random)
          let offset = Int.random(in: 0...3, using: &random)
          let page = try store.ids(query.after(object).offset(offset).limit(limit))
          #expect(page == Array(all[(place + 1)...].dropFirst(offset).prefix(limit)), comment)
          #expect(try store.ids(query.after(object)) == Array(all[(place + 1)...]), comment)
          #expect(try store.ids(query.offset(place).limit(limit)) == Array(all[place...].prefix(limit)), comment)
          #expect(try store.fetch(query.limit(limit)).map(\.id) == all.prefix(limit).map { $0 }, comment)
        }
      }
    }
    try store.close()
  }

  @Test func `a position whose object was deleted begins with the next object`() throws {
    var random = SeededGenerator(seed: 3)
    let store = try makeStore(2_000, &random)
    for sort in Self.sorted {
      let query = sort(Reading.all)
      let all = try store.ids(query)
      let object = try #require(try store.fetch(all[900]))
      let page = query.after(object).limit(5)
      try store.delete(object)
      try store.saveChanges()
      #expect(try store.ids(page) == Array(all[901...905]))
    }
    try store.close()
  }

  @Test func `the extremes of many equal values are right`() throws {
    var random = SeededGenerator(seed: 5)
    let store = try makeStore(2_000, &random)
    #expect(try store.maximum(Reading.all, of: \.station) == Int.max)
    #expect(try store.minimum(Reading.all, of: \.station) == Int.min)
    #expect(try store.maximum(Reading.where { $0.station < 255 }, of: \.station) == -1)
    try store.close()
  }

  @Test(arguments: [1, 2, 5, 100, 2_000])
  func `a query that does not end early goes on with another plan`(limit: Int) throws {
    let store = try Store(.inMemory, classes: [Reading.self])
    for number in 0..<20_000 {
      let reading = Reading()
      reading.station = number % 2
      reading.level = Double(20_000 - number)
      reading.text = number % 9_000 == 8_999 ? "rare" : "common"
      try store.insert(reading)
    }
    try store.saveChanges()
    let rare = try store.fetch(Reading.self).filter { $0.text == "rare" && $0.station == 1 }.map(\.id)
    #expect(rare.count == 2)
    // Few objects of a large part of an index, in the order of their identities.
    let unsorted = Reading.where { $0.station == 1 && !$0.text.hasPrefix("com") }.limit(limit)
    #expect(try store.ids(unsorted) == Array(rare.prefix(limit)).compactMap { $0 })
    #expect(try store.fetch(unsorted).map(\.id) == Array(rare.prefix(limit)))
    #expect(try store.count(unsorted) == min(limit, 2))
    // Few objects in the order of an index.
    let sorted = Reading.where { !$0.text.hasPrefix("com") && $0.station == 1 }.sorted(by: \.level).limit(limit)
    #expect(try store.fetch(sorted).map(\.id) == Array(rare.reversed().prefix(limit)))
    #expect(try store.fetch(sorted.offset(1)).map(\.id) == Array(rare.reversed().dropFirst().prefix(limit)))
    #expect(try store.exists(unsorted))
    // With a pending object, rows are not found in order.
    let new = Reading()
    (new.station, new.text) = (1, "rare")
    try store.insert(new)
    #expect(try store.fetch(sorted.limit(1)).map(\.id) == [new.id])
    #expect(try store.fetch(unsorted.limit(3)).map(\.id) == rare + [new.id])
    try store.close(discarding: true)
  }

  @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 4_096, 4_200])
  func `a condition of many alternatives finds them`(count: Int) throws {
    let store = try Store(.inMemory, classes: [Reading.self])
    for number in 0..<5_000 {
      let reading = Reading()
      reading.station = number
      try store.insert(reading)
    }
    try store.saveChanges()
    typealias Number = Property<Reading, Int>
    func either(_ station: Number) -> Condition<Reading> {
      (0..<count).reduce(Condition.never) { $0 || station == $1 }
    }
    func eitherFromTheEnd(_ station: Number) -> Condition<Reading> {
      (0..<count).reduce(Condition.never) { station == $1 || $0 }
    }
    func neither(_ station: Number) -> Condition<Reading> {
      (0..<count).reduce(Condition.always) { $0 && station != $1 }
    }
    #expect(try store.count(Reading.where { either($0.station) }) == count)
    #expect(try store.count(Reading.where { eitherFromTheEnd($0.station) }) == count)
    #expect(try store.count(Reading.where { !either($0.station) }) == 5_000 - count)
    #expect(try store.count(Reading.where { neither($0.station) }) == 5_000 - count)
    #expect(try store.ids(Reading.where { either($0.station) && neither($0.station) }).isEmpty)
    let plan = try store.explain(Reading.where { either($0.station) })
    #expect(plan.access != .scan, "\(plan.steps.last ?? "")")
    try store.close()
  }
}
