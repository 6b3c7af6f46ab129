import Foundation
import Todana

extension Cliff {
  static var queries: [Cliff] {
    [
      Cliff(
        id: "building", title: "making a condition of n alternatives", unit: "ns each", largest: 100_000,
        measure: { _, size in
          var query = Entry.all
          let cost = cost(of: size) { query = Self.query(of: size) }
          return withExtendedLifetime(query) { cost * 1000 }
        }),
      Cliff(
        id: "alternatives", title: "a query of n alternatives, 50,000 objects, indexed", unit: "µs each",
        largest: 16_000,
        measure: { path, size in
          let store = try Store.withEntries(path, 50_000) { $0 % 10 }
          let query = Self.query(of: size)
          let cost = try cost(of: size) {
            try require(try store.count(query) == size, "wrong count")
          }
          try store.close()
          return cost
        }),
      Cliff(
        id: "page", title: "a page of 10 after the middle of n objects with equal values", unit: "µs",
        largest: 500_000,
        measure: { path, size in
          let store = try Store.withEntries(path, size) { _ in 7 }
          let ids = try store.ids(Entry.all)
          let middle = try store.fetch(ids[size / 2])
          let query = Entry.all.sorted(by: \.group).limit(10)
          let cost = try cost(of: 10) {
            for _ in 0..<10 {
              let page = try store.fetch(middle.map { query.after($0) } ?? query)
              try require(page.count == min(10, size - size / 2 - 1), "wrong page")
            }
          }
          try store.close()
          return cost
        }),
      Cliff(
        id: "last", title: "the last 10 by an index, n objects with equal values", unit: "µs", largest: 500_000,
        measure: { path, size in
          let store = try Store.withEntries(path, size) { _ in 7 }
          let query = Entry.all.sorted(by: \.group, .descending).limit(10)
          let cost = try cost(of: 10) {
            for _ in 0..<10 { try require(try store.fetch(query).count == 10, "wrong count") }
          }
          try store.close()
          return cost
        }),
      Cliff(
        id: "maximum", title: "the maximum by an index, n objects with equal values", unit: "µs", largest: 500_000,
        measure: { path, size in
          let store = try Store.withEntries(path, size) { _ in 7 }
          let cost = try cost(of: 10) {
            for _ in 0..<10 { try require(try store.maximum(Entry.all, of: \.group) == 7, "wrong maximum") }
          }
          try store.close()
          return cost
        }),
      Cliff(
        id: "first", title: "the first of n / 2 matches of an index", unit: "µs", largest: 500_000,
        measure: { path, size in
          let store = try Store.withEntries(path, size) { $0 % 2 }
          let query = Entry.where { $0.group == 1 }
          let cost = try cost(of: 10) {
            for _ in 0..<10 { try require(try store.first(query)?.group == 1, "wrong object") }
          }
          try store.close()
          return cost
        }),
      Cliff(
        id: "rare", title: "the first of n by an index, where only the last meets the condition", unit: "ns each",
        largest: 1_000_000,
        measure: { path, size in
          let store = try Store.withEntries(path, size) { $0 }
          let wanted = "entry \(size - 1)"
          let query = Entry.where { $0.text == wanted }.sorted(by: \.number).limit(1)
          let cost = try cost(of: size) {
            try require(try store.ids(query).count == 1, "wrong count")
          }
          try store.close()
          return cost * 1000
        }),
    ]
  }

  /// Returns a query for the numbers below `count`, with an alternative for each.
  private static func query(of count: Int) -> Query<Entry> {
    Entry.where { entry in
      var condition = Condition<Entry>.never
      for number in 0..<count { condition = condition || entry.number == number }
      return condition
    }
  }
}
