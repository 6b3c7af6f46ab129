// Asynchronous calls and observation, from a function in any isolation domain.
import Todana

nonisolated final class Track: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var record: Record?
}

nonisolated final class Record: StoredObject {
  var title = ""
  var tracks: [Track] = []
}

nonisolated struct Row: Sendable { var title: String }

func queries(_ store: Store, _ id: ObjectID<Track>, _ track: Track) async throws {
  let query = Track.where { $0.seconds > 200 }.sorted(by: \.title)
  let tracks: [Track] = try await store.fetchAsync(query)
  let all: [Track] = try await store.fetchAsync(Track.self)
  let one: Track? = try await store.fetchAsync(id)
  let some: [Track?] = try await store.fetchAsync([id])
  let first: Track? = try await store.firstAsync(query)
  let count: Int = try await store.countAsync(query) + store.countAsync(Track.self)
  let exists: Bool = try await store.existsAsync(query)
  let ids: [ObjectID<Track>] = try await store.idsAsync(query)
  let titles: [String] = try await store.valuesAsync(query, of: \.title)
  let pairs = try await store.valuesAsync(query) { Row(title: $0.title) }
  let distinct: [String?] = try await store.distinctValuesAsync(query, of: \.genre)
  let sum = try await store.sumAsync(query, of: \.seconds)
  let average: Double? = try await store.averageAsync(query, of: \.seconds)
  let least: UInt32? = try await store.minimumAsync(query, of: \.seconds)
  let most: UInt32? = try await store.maximumAsync(query, of: \.seconds)
  for group in try await store.groupsAsync(query, by: \.genre) { print(group.key ?? "none", group.count) }
  for group in try await store.groupsAsync(query, by: \.genre, of: \.seconds) { print(group.summary.sum) }
  let records: [Record] = try await store.fetchAsync(Record.where { $0.title == "x" }, loading: \.tracks)
  _ = try await store.fetchAsync(query, loading: \.record)
  try await store.loadAsync(track)
  try await store.loadAsync(records.flatMap(\.tracks))
  try await store.updateAsync(track) { $0.title = "x" }
  try await store.updateAsync(query) { $0.title = "x" }
  try await store.deleteAsync(query)
  try await store.deleteAsync(tracks)
  print(all, one as Any, some, first as Any, count, exists, ids, titles, pairs, distinct, sum, average as Any)
  print(least as Any, most as Any)
}

func typedErrors(_ store: Store) async {
  do throws(StoreError) {
    _ = try await store.fetchAsync(Track.where { $0.title == "x" })
  } catch {
    print(error.code)
  }
}

@MainActor func autosave(_ store: Store) -> Task<Void, any Error> {
  Task {
    while !Task.isCancelled {
      try await Task.sleep(for: .seconds(2))
      if store.hasUnsavedChanges { try await store.save(durability: .relaxed) }
    }
  }
}

func observation(_ store: Store, _ id: ObjectID<Track>, _ library: StoreActor) async throws {
  for try await count in store.observe({ store in try store.count(Track.self) }) { print(count + 1) }
  for try await rows in store.observe({ try $0.values(Track.all) { Row(title: $0.title) } }) { print(rows.count) }
  for try await track in store.observe(id) { print(track?.title ?? "deleted") }
  for try await change in store.observe(Track.where { $0.seconds > 3 }) { print(change.insertions) }
  let favourites = store.observe { try $0.readNamedBuffer("favourites") { try $0.readReferences(Track.self).count } }
  for try await count in favourites { print(count ?? 0) }
  let query = Track.where { $0.seconds > 3 }
  for try await rows in library.observe(query, map: { Row(title: $0.title) }) { print(rows.map(\.title)) }
}
