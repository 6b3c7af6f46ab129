import TestSupport
import Testing

@testable import Todana

/// Searches of so many texts that lists have many groups, and a search has several windows of documents.
@Suite struct ManyTextsTests {
  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 8), [false, true])
  func `searches by an index find the same as those without one`(_ seed: UInt64, _ keepsPositions: Bool) throws {
    let store = try Store(.inMemory, classes: [Plain.self, Placed.self, Unplaced.self])
    var random = RandomTexts(seed: seed)
    let count = LongTests.areEnabled ? 60_000 : 9000
    for number in 0..<count {
      let text = Self.text(&random)
      for entry in [Plain(), keepsPositions ? Placed() : Unplaced()] {
        (entry.text, entry.kind) = (text, number % 7)
        try store.insert(entry)
      }
      if number % 3000 == 0 { try store.saveChanges() }
    }
    try store.saveChanges()
    try store.buildIndexes()
    for _ in 0..<(LongTests.areEnabled ? 200 : 15) {
      let text = Self.expression(&random)
      let expression = try TextExpression(parsing: text)
      let plain = Plain.where { $0.text.matches(expression) }
      if keepsPositions {
        try Self.compare(plain, Placed.where { $0.text.matches(expression) }, in: store, text)
      } else {
        try Self.compare(plain, Unplaced.where { $0.text.matches(expression) }, in: store, text)
      }
    }
  }

  private static func compare<Indexed: Entry>(
    _ plain: Query<some Entry>, _ indexed: Query<Indexed>, in store: Store, _ text: String
  ) throws {
    #expect(try store.count(indexed) == store.count(plain), "\(text)")
    for limit in [1, 500] {
      let expected = try store.fetch(plain.limit(limit)).map(\.text)
      #expect(try store.fetch(indexed.limit(limit)).map(\.text) == expected, "\(text)")
    }
    let some = try store.fetch(plain.where { $0.kind == 3 }.sorted(by: .relevance).limit(5)).map(\.text)
    #expect(try store.fetch(indexed.where { $0.kind == 3 }.sorted(by: .relevance).limit(5)).map(\.text) == some)
    let expected = try store.fetch(plain.sorted(by: .relevance).limit(10)).map(\.text)
    for limit in [1, 10] {
      let found = try store.fetch(indexed.sorted(by: .relevance).limit(limit)).map(\.text)
      #expect(found == Array(expected.prefix(limit)), "\(text)")
    }
  }

  /// A word of few letters, the more frequent the lower its number is.
  private static func word(_ random: inout RandomTexts) -> String {
    let number = random.number(0...random.number(0...random.number(0...400)))
    let letters = Array("abcdefg")
    return String(String(number + 100, radix: 7).compactMap { $0.wholeNumberValue.map { letters[$0] } })
  }

  private static func text(_ random: inout RandomTexts) -> String {
    // Some are long, and some have one word many times.
    let count = random.number(0...20) == 0 ? random.number(20...200) : random.number(1...12)
    let words = (0..<count).map { _ in word(&random) }
    return (random.number(0...30) == 0 ? words + Array(repeating: words[0], count: 6) : words).joined(separator: " ")
  }

  private static func expression(_ random: inout RandomTexts) -> String {
    func term() -> String {
      switch random.number(0...9) {
      case 0: "\"\(word(&random)) \(word(&random))\""
      case 1: "\(word(&random).prefix(2))*"
      case 2: "*\(word(&random).suffix(3))*"
      case 3: "\(word(&random))~1"
      default: word(&random)
      }
    }
    let terms = (0..<random.number(1...4)).map { _ in term() }
    let joint = [" ", " OR ", " OR "][random.number(0...2)]
    let all = terms.joined(separator: joint)
    return random.number(0...5) == 0 ? "(\(all)) NOT \(term())" : all
  }
}

private class Entry: StoredObject {
  var text = ""
  var kind = 0

  required init() {}

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeInt(kind)
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    kind = try buffer.readInt()
  }
}

private final class Plain: Entry {}

private final class Placed: Entry {
  override class var textIndexes: [TextIndex] { [TextIndex(\Placed.text)] }
}

private final class Unplaced: Entry {
  override class var textIndexes: [TextIndex] { [TextIndex(\Unplaced.text, keepsPositions: false)] }
}
