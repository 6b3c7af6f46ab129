import Todana

final class Song: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var isrc: String?
  var tags: [String] = []

  override class var indexes: [Index] {
    [
      Index(\Song.seconds),
      Index(\Song.genre, .descending(\Song.seconds)),
      Index(.folded(\Song.title)),
      Index(\Song.isrc, unique: true),
      Index(each: \Song.tags),
      Index(\Song.title, where: { $0.seconds > 600 }),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = try buffer.readOptionalString()
    isrc = try buffer.readOptionalString()
    tags = try buffer.readArray()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeOptionalString(isrc)
    buffer.writeArray(tags)
  }
}

let store = try Store(.inMemory, classes: [Song.self])
for (number, title) in ["So What", "Blue in Green", "Écoute", "All Blues", "Baby"].enumerated() {
  let song = Song()
  song.title = title
  song.seconds = UInt32(300 + 50 * number)
  song.genre = number == 4 ? "Pop" : "Jazz"
  song.isrc = "US\(number)"
  song.tags = number % 2 == 0 ? ["live", "1959"] : []
  try store.insert(song)
}
try store.saveChanges()

let query = Song.where { $0.seconds > 200 && ($0.title.hasPrefix("B") || !$0.genre.isIn(["Rock", "Pop"])) }
  .sorted(by: \.title)
  .sorted(by: \.seconds, .descending)
  .limit(3)
let songs = try store.fetch(query)
print(songs.map(\.title))
print(try store.fetch(query.after(songs[2])).map(\.title))
print(try store.count(Song.where { $0.tags.contains("live") }))
print(try store.first(Song.where { $0.title.folded == "ecoute" })?.seconds ?? 0)

// Values, sums and groups, without the objects.
print(try store.values(Song.where { $0.genre == "Jazz" }.sorted(by: \.title), of: \.seconds))
print(try store.sum(Song.all, of: \.seconds))
for group in try store.groups(Song.all, by: \.genre, of: \.seconds) {
  print(group.key ?? "none", group.summary.count, group.summary.average ?? 0)
}

// Changing what a query finds.
try store.update(Song.where { $0.genre == "Pop" }) { $0.genre = "Soul" }
try store.saveChanges()

// No two objects with the same values in a unique index.
let other = Song()
other.isrc = "US1"
try store.insert(other)
do {
  try store.saveChanges()
} catch let violation as UniqueViolation {
  print(violation.indexName, violation.values)
  try store.delete(other)
}

// Results that stay up to date.
for try await change in store.observe(Song.where { $0.genre == "Soul" }.sorted(by: \.title)) {
  print(change.count, change.insertions, change.deletions)
  if change.count > 1 { break }
  try store.update(songs[0]) { $0.genre = "Soul" }
  try store.saveChanges()
}
try store.close()
