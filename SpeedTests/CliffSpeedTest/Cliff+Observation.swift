import Foundation
import Todana

extension Cliff {
  static var observation: [Cliff] {
    [
      Cliff(
        id: "live", title: "a live result of n objects after a fifth of them have changed", unit: "µs / change",
        largest: 1_000_000, measure: { path, size in try waiting { try await liveResult(path, size) } }),
      Cliff(
        id: "snapshots", title: "a save while n snapshots of the commit before it are open", unit: "µs", largest: 5_000,
        measure: { path, size in
          let store = try Store.withEntries(path, 1000) { $0 }
          let entry = try store.fetch(Entry.self)[0]
          let snapshots = try (0..<size).map { _ in try store.backend.snapshot() }
          let cost = try cost(of: 100) {
            for _ in 0..<100 {
              try store.update(entry) { $0.group += 1 }
              try store.saveChanges(durability: .relaxed)
            }
          }
          withExtendedLifetime(snapshots) {}
          try store.close()
          return cost
        }),
      Cliff(
        id: "observers", title: "a save while n tasks observe another class", unit: "µs", largest: 1_000,
        measure: { path, size in
          let store = try Store(.directory(path), classes: [Entry.self, Revision.self])
          let observed = (0..<size).map { _ in store.commits() }
          let entry = Entry()
          try store.insert(entry)
          try store.saveChanges()
          let cost = try cost(of: 100) {
            for _ in 0..<100 {
              try store.update(entry) { $0.group += 1 }
              try store.saveChanges(durability: .relaxed)
            }
          }
          withExtendedLifetime(observed) {}
          try store.close()
          return cost
        }),
    ]
  }

  private static func liveResult(_ path: String, _ size: Int) async throws -> Double {
    let store = try Store.withEntries(path, size) { $0 }
    let other = try Store(backend: store.backend, classes: [Entry.self])
    var results = store.observe(Entry.all.sorted(by: \.group)).makeAsyncIterator()
    try require(try await results.next() != nil, "no first result")
    let changed = size / 5
    for (index, entry) in try other.fetch(Entry.self).enumerated() where index % 5 == 0 {
      try other.update(entry) { $0.group = (entry.number * 7919) % size }
    }
    try other.saveChanges()
    let start = cpuMicroseconds()
    let change = try await results.next()
    let cost = (cpuMicroseconds() - start) / Double(changed)
    try require(change != nil, "no change")
    try other.close()
    try store.close()
    return cost
  }
}
