// Saves of so many objects that their index entries are sorted by another algorithm.
import TestSupport
import Testing
import Todana

@Suite struct LargeIndexSaveTests {
  final class Line: StoredObject {
    var text = ""
    var number: Int32 = 0

    override class var indexes: [Index] {
      [
        Index(\Line.text), Index(\Line.number), Index(.descending(\Line.text), .descending(\Line.number)),
        Index(\Line.number, \Line.text, name: "unique", where: { $0.number >= 0 }),
      ]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      text = try buffer.readString()
      number = try buffer.readInt32()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(text)
      buffer.writeInt32(number)
    }
  }

  /// Returns a text; the texts differ early, late, in length only, or not at all.
  private static func text(_ generator: inout SeededGenerator) -> String {
    let beginnings = [
      "", "\0", "the same eight", String(repeating: "long ", count: 20), String(repeating: "x", count: 140),
    ]
    let ends = ["", "a", "\0", "\u{FF}", "é"]
    var text = beginnings.randomElement(using: &generator) ?? ""
    for _ in 0..<Int.random(in: 0...3, using: &generator) { text += ends.randomElement(using: &generator) ?? "" }
    return text
  }

  @Test(arguments: [400, 5_000], [1, 2] as [UInt64])
  func `entries of one save are stored in order`(count: Int, seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let store = try Store(.directory(directory.path), classes: [Line.self])
    var generator = SeededGenerator(seed: seed)
    var lines: [Line] = []
    for _ in 0..<count {
      let line = Line()
      line.text = Self.text(&generator)
      line.number = Bool.random(using: &generator) ? Int32.random(in: -9...9, using: &generator) : 7
      try store.insert(line)
      lines.append(line)
    }
    try store.saveChanges()
    try expect(lines, in: store)
    for line in lines where Bool.random(using: &generator) {
      line.willUpdate()
      line.text = Self.text(&generator)
      line.number += 1
    }
    try store.saveChanges()
    try expect(lines, in: store)
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  private func expect(_ lines: [Line], in store: Store) throws {
    let byText = Line.all.sorted(by: \.text)
    #expect(try store.explain(byText.limit(10)).access == .index)
    // The sort is stable, so equal texts stay in the order of row ids.
    let sorted = lines.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    #expect(try store.fetch(byText).map(\.text) == sorted.map(\.text))
    #expect(try store.fetch(byText.limit(100)).elementsEqual(sorted.prefix(100)) { $0 === $1 })
    let byNumber = lines.sorted { $0.number < $1.number }
    #expect(try store.fetch(Line.all.sorted(by: \.number).limit(300)).elementsEqual(byNumber.prefix(300)) { $0 === $1 })
    for number: Int32 in [-3, 0, 7] {
      let found = try store.fetch(Line.where { $0.number == number })
      #expect(found.elementsEqual(lines.filter { $0.number == number }) { $0 === $1 })
    }
  }

  final class Coin: StoredObject {
    var serial = ""

    override class var indexes: [Index] { [Index(\Coin.serial, unique: true)] }
    override func readContent(from buffer: inout DataBuffer) throws { serial = try buffer.readString() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(serial) }
  }

  @Test func `two of many objects with the same unique value are refused`() throws {
    let directory = try TemporaryDirectory()
    let store = try Store(.directory(directory.path), classes: [Coin.self])
    var coins: [Coin] = []
    for number in 0..<2_000 {
      let coin = Coin()
      coin.serial = "serial number \(number == 1_500 ? 3 : number)"
      try store.insert(coin)
      coins.append(coin)
    }
    let violation = #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    #expect(Set([violation?.objectID, violation?.otherObjectID]) == [coins[3].anyID, coins[1_500].anyID])
    coins[1_500].serial = "another"
    try store.saveChanges()
    #expect(try store.count(Coin.where { $0.serial == "serial number 3" }) == 1)
    try store.close()
  }
}
