import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Random saves, deletes, commits and undos of values, compared with a dictionary.
@Suite struct ValueModelTests {
  struct Part: Codable, Sendable, Equatable {
    var id: Int?
    var a: String?
    var b: Int?
  }

  struct Item: Codable, Sendable, Identifiable, Equatable {
    var id: Int
    var text: String?
    var number: Int?
    var part: Part?
    var parts: [Part]?
  }

  /// The merge of two items, written out for their properties.
  static func merge(_ new: Item, _ old: Item) -> Item {
    var item = old
    item.text = new.text ?? old.text
    item.number = new.number ?? old.number
    if let part = new.part {
      if let oldPart = old.part, let id = part.id, id == oldPart.id {
        item.part = merge(part, oldPart)
      } else {
        item.part = part
      }
    }
    if let parts = new.parts {
      item.parts = parts
      if let oldParts = old.parts, (parts + oldParts).allSatisfy({ $0.id != nil }) {
        var merged = oldParts
        for part in parts {
          if let place = merged.lastIndex(where: { $0.id == part.id }) {
            merged[place] = merge(part, merged[place])
          } else {
            merged.append(part)
          }
        }
        item.parts = merged
      }
    }
    return item
  }

  private static func merge(_ new: Part, _ old: Part) -> Part {
    Part(id: old.id, a: new.a ?? old.a, b: new.b ?? old.b)
  }

  private static func part(_ random: inout SeededGenerator) -> Part {
    Part(
      id: Bool.random(using: &random) ? Int.random(in: 0...2, using: &random) : nil,
      a: ["x", "", nil].randomElement(using: &random) ?? nil, b: [Int.min, 1, nil].randomElement(using: &random) ?? nil)
  }

  private static func item(_ random: inout SeededGenerator) -> Item {
    var item = Item(id: Int.random(in: 0...12, using: &random))
    if Bool.random(using: &random) { item.text = ["", "a", "ü", "\0"].randomElement(using: &random) }
    if Bool.random(using: &random) { item.number = [Int.min, -1, 0, 5, Int.max].randomElement(using: &random) }
    if Bool.random(using: &random) { item.part = part(&random) }
    if Bool.random(using: &random) {
      item.parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in part(&random) }
    }
    return item
  }

  @Test(arguments: EveryBackend.allCases, RandomSeeds.seeds([1, 2, 3], new: 1, long: 40))
  func `random operations give the values of a dictionary`(_ backend: EveryBackend, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let store = try Store(backend: backend.open(in: directory), classes: [])
    defer { try? store.close(discarding: true) }
    let items = try store.collection(of: Item.self, indexes: [.init(\.number), .init(\.text, \.number, name: "both")])
    let others = try store.collection(of: Item.self, indexes: [.init(\.number), .init(\.text, \.number, name: "both")])
    var model: [Int: Item] = [:]
    var saved = model
    for _ in 0..<200 {
      switch Int.random(in: 0...9, using: &random) {
      case 0...3:
        let item = Self.item(&random)
        let merged = model[item.id].map { Self.merge(item, $0) } ?? item
        let collection = Bool.random(using: &random) ? items : others
        #expect(try collection.save(item) == merged, "seed \(seed)")
        model[item.id] = merged
      case 4:
        let batch = (0..<Int.random(in: 0...30, using: &random)).map { _ in Self.item(&random) }
        let isReplacing = Bool.random(using: &random)
        try items.save(contentsOf: batch, isReplacing ? .replacing : .merging)
        for item in batch {
          model[item.id] = isReplacing ? item : model[item.id].map { Self.merge(item, $0) } ?? item
        }
      case 5:
        let id = Int.random(in: 0...12, using: &random)
        #expect(try items.delete(id: id) == model.removeValue(forKey: id))
      case 6:
        let deleted = try items.delete { $0.number >= 5 }
        #expect(deleted.count == model.values.filter { ($0.number ?? .min) >= 5 }.count)
        for item in deleted { model[item.id] = nil }
      case 7:
        store.discardChanges()
        model = saved
      default:
        try store.saveChanges()
        saved = model
      }
      let id = Int.random(in: 0...12, using: &random)
      #expect(try others[id] == model[id], "seed \(seed)")
      #expect(try items.count() == model.count)
      #expect(
        Set(try items.find { $0.number < 5 }.map(\.id))
          == Set(model.values.filter { $0.number.map { $0 < 5 } ?? false }.map(\.id)), "seed \(seed)")
      #expect(
        try items.find { $0.text == "a" && $0.number == 5 }.count
          == model.values.filter { $0.text == "a" && $0.number == 5 }.count, "seed \(seed)")
    }
    try store.saveChanges()
    #expect(try items.find(orderBy: \.id) == model.values.sorted { $0.id < $1.id })
  }
}
