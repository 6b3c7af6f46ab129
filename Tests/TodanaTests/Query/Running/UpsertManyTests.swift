// Inserting or updating many objects at once gives the result of one after another.
import TestSupport
import Testing
import Todana

private final class Card: StoredObject {
  @Loaded var key: String?
  @Loaded var text = ""

  override class var indexes: [Index] { [Index(\Card.key)] }

  convenience init(_ key: String?, _ text: String) {
    self.init()
    self.key = key
    self.text = text
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    key = try buffer.readOptionalString()
    text = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeOptionalString(key)
    buffer.writeString(text)
  }
}

struct UpsertManyTests {
  private func open() throws -> Store { try Store(.inMemory, classes: [Card.self]) }

  /// Keys that few objects have, some long, some equal in their first bytes.
  private func key(_ generator: inout SeededGenerator) -> String? {
    let number = Int.random(in: 0..<20, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return nil
    case 1: return String(repeating: "x", count: 200) + "\(number)"
    case 2: return ""
    default: return "\(number)"
    }
  }

  @Test(arguments: RandomSeeds.seeds(new: 4, long: 100))
  func `many at once give the same as one after another`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (one, many) = (try open(), try open())
    for _ in 0..<12 {
      let cards = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
        (key(&generator), "\(UInt16.random(in: 0...999, using: &generator))")
      }
      let merges = Bool.random(using: &generator)
      func merge(_ existing: Card, _ new: Card) { existing.text += "+" + new.text }
      let merging: ((Card, Card) -> Void)? = merges ? merge : nil
      var singly: [Card] = []
      for (key, text) in cards { singly.append(try one.upsert(Card(key, text), by: \.key, merging: merging)) }
      let together = try many.upsert(contentsOf: cards.map { Card($0, $1) }, by: \.key, merging: merging)
      #expect(together.map(\.text) == singly.map(\.text))
      #expect(together.map { $0.id?.rowID } == singly.map { $0.id?.rowID })
      // Some objects get another key, some are deleted, some changes are saved.
      for store in [one, many] {
        var generator = generator
        for card in try store.fetch(Card.self) {
          if Int.random(in: 0..<10, using: &generator) == 0 { try store.update(card) { $0.key = "changed" } }
          if Int.random(in: 0..<10, using: &generator) == 0 { try store.delete(card) }
        }
        if Bool.random(using: &generator) { try store.saveChanges() }
        if Bool.random(using: &generator) { try store.turnCleanObjectsIntoFaults() }
      }
    }
    #expect(try one.fetch(Card.self).map(\.text) == many.fetch(Card.self).map(\.text))
  }

  @Test func `nothing is changed if the closure throws`() throws {
    struct Refusal: Error {}
    let store = try open()
    try store.insert(Card("a", "old"))
    try store.saveChanges()
    #expect(throws: Refusal.self) {
      try store.upsert(contentsOf: [Card("b", "new"), Card("a", "new")], by: \.key) { existing, new in
        existing.text = new.text
        throw Refusal()
      }
    }
    #expect(!store.hasUnsavedChanges)
    #expect(try store.fetch(Card.self).map(\.text) == ["old"])
  }
}
