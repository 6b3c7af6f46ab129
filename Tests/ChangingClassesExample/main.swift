import Todana

// The class as the first release of the program declared it.
final class SongV1: StoredObject {
  var name = ""
  var seconds: UInt16 = 0
  var artistName = ""

  override class var storedName: String { "Song" }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    seconds = try buffer.readUInt16()
    artistName = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeUInt16(seconds)
    buffer.writeString(artistName)
  }
}

// The class today.
final class Song: StoredObject {
  var title = ""  // renamed: was `name`
  var seconds = 0.0  // another type: was UInt16
  var genre: String?  // new
  var artist: Artist?  // split off: was the artist's name
  var oldArtistName: String?  // not written: the name in a record of version 1

  override class var version: UInt8 { 2 }
  override class var indexes: [Index] { [Index(\Song.seconds)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    if buffer.version < 2 {
      seconds = Double(try buffer.readUInt16())
      genre = nil
      artist = nil
      oldArtistName = try buffer.readString()
    } else {
      seconds = try buffer.readDouble()
      genre = try buffer.readOptionalString()
      artist = try buffer.readReference(Artist.self)
      oldArtistName = nil
    }
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeDouble(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeReference(artist)
  }
}

final class Artist: StoredObject {
  var name = ""

  override class var indexes: [Index] { [Index(\Artist.name, unique: true)] }

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

/// Makes an object of each artist's name that records of version 1 have.
func splitArtists(in store: Store) throws {
  try store.forEach(Song.self) { song, _ in
    guard let name = song.oldArtistName, !name.isEmpty else { return }
    let known = try store.first(Artist.where { $0.name == name })
    let artist = known ?? Artist()
    if known == nil {
      artist.name = name
      try store.insert(artist)
    }
    try store.update(song) { song in
      song.artist = artist
      song.oldArtistName = nil
    }
  }
  try store.saveChanges()
}

// A store of the first release, and a copy of it.
let old = try Store(.directory("Music.todana"), classes: [SongV1.self])
let records = [
  ("So What", 565, "Miles Davis"), ("Nardis", 350, "Bill Evans"), ("Blue in Green", 337, "Miles Davis"),
  ("Greensleeves", 180, ""),
]
for (name, seconds, artistName) in records {
  let song = SongV1()
  song.name = name
  song.seconds = UInt16(seconds)
  song.artistName = artistName
  try old.insert(song)
}
try old.saveChanges()
try old.backUp(to: "Trial.todana")
try old.close()

// Today's release changes the copy first, then the store.
for path in ["Trial.todana", "Music.todana"] {
  let store = try Store(.directory(path), classes: [Song.self, Artist.self])
  try splitArtists(in: store)
  try store.buildIndexes()
  let report = try store.upgrade(Song.self)
  print(path, try store.count(Artist.self), report.upgradedCount, try store.verify().problemCount)
  try store.close()
}

let store = try Store(.directory("Music.todana"), classes: [Song.self, Artist.self])
for song in try store.fetch(Song.where { $0.seconds > 300 }.sorted(by: \.title)) {
  try song.artist?.loadContent()
  print(song.title, song.seconds, song.artist?.name ?? "unknown")
}
try store.close()

// The first release opens the store, and cannot read the new records.
let late = try Store(.directory("Music.todana"), classes: [SongV1.self])
print(try late.count(SongV1.self))
do throws(StoreError) {
  _ = try late.fetch(SongV1.self)
} catch {
  print(error.code, error.className ?? "unknown class")
}
try late.close()
