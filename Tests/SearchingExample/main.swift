import Todana

final class Song: StoredObject {
  var title = ""
  var lyrics = ""
  var seconds: UInt32 = 0

  override class var textIndexes: [TextIndex] {
    [
      TextIndex(\Song.title),
      TextIndex(\Song.title, \Song.lyrics, name: "everything", weights: [4, 1], language: .english),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    lyrics = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeString(lyrics)
    buffer.writeUInt32(seconds)
  }
}

let store = try Store(.inMemory, classes: [Song.self])
for (title, lyrics) in [
  ("Blue in Green", "Green fields, running rivers"), ("Kind of Blue", "Nothing green grows here"),
  ("青い影", "Blue shadows"), ("Runner", "He runs and runs"),
] {
  let song = Song()
  (song.title, song.lyrics, song.seconds) = (title, lyrics, 300)
  try store.insert(song)
}
try store.saveChanges()

// A search field: all words, the last one as the beginning of a word.
print(try store.fetch(Song.where { $0.title.matches("blue gre") }).map(\.title))
// One character of a Japanese title.
print(try store.fetch(Song.where { $0.title.matches("影") }).map(\.title))

// Built: the beginning of a word without a phrase, or a word with one wrong letter.
let built: TextExpression = .prefix("blu") && !.phrase("kind of") || .fuzzy("runer")
print(try store.fetch(Song.where { $0.title.matches(built) && $0.seconds > 200 }).map(\.title))
// Parsed: errors have a position.
let parsed = try TextExpression(parsing: "run* OR \"blue shadows\" -rivers")
print(try store.count(Song.where { $0.lyrics.matches(parsed) }))

// The words of two properties by their stems, the most relevant songs first.
let query = Song.where { $0.matches("run ", in: "everything") }.sorted(by: .relevance).limit(20)
for hit in try store.hits(query) {
  let snippet = hit.snippet(of: \.lyrics, open: "[", close: "]")
  print(hit.object.title, hit.score > 0, snippet, hit.ranges(in: \.title).count)
}
// The words that "gren" may stand for.
print(try store.suggestions(for: "gren", of: Song.self, in: "title", limit: 3).map { "\($0.text) \($0.count)" })
