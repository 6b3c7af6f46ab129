import Todana

struct GenreInUse: Error {
  var songCount: Int
}

final class Genre: StoredObject {
  var name = ""

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }

  // Deny: a genre cannot be deleted while a song has it.
  override func prepareForDelete(in store: Store) throws {
    let count = try store.count(Song.where { $0.genre == self })
    if count > 0 { throw GenreInUse(songCount: count) }
  }
}

final class Album: StoredObject {
  var title = ""

  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }

  // Cascade: the album's songs are deleted with it.
  override func prepareForDelete(in store: Store) throws {
    try store.delete(Song.where { $0.album == self })
  }
}

final class Song: StoredObject {
  var title = ""
  var album: Album?
  var genre: Genre?

  override class var indexes: [Index] { [Index(\Song.album), Index(\Song.genre)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    album = try buffer.readReference(Album.self)
    genre = try buffer.readReference(Genre.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReference(album)
    buffer.writeReference(genre)
  }

  // Nullify: the song is taken out of all playlists.
  override func prepareForDelete(in store: Store) throws {
    for playlist in try store.fetch(Playlist.where { $0.songs.contains(self) }) {
      try store.update(playlist) { $0.songs.removeAll { $0 === self } }
    }
  }
}

final class Playlist: StoredObject {
  var title = ""
  var songs: [Song] = []

  override class var indexes: [Index] { [Index(each: \Playlist.songs)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    songs = try buffer.readReferences(Song.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(songs)
  }
}

let store = try Store(.inMemory, classes: [Genre.self, Album.self, Song.self, Playlist.self])
let jazz = Genre()
jazz.name = "Jazz"
try store.insert(jazz)
let album = Album()
album.title = "Kind of Blue"
try store.insert(album)
let playlist = Playlist()
playlist.title = "Evening"
for title in ["So What", "Blue in Green", "Nardis"] {
  let song = Song()
  song.title = title
  song.genre = jazz
  song.album = title == "Nardis" ? nil : album
  try store.insert(song)
  playlist.songs.append(song)
}
try store.insert(playlist)
try store.saveChanges()

// The rule throws, so nothing is deleted.
do {
  try store.delete(jazz)
} catch let error as GenreInUse {
  print("refused, songs:", error.songCount)
}
print(store.hasUnsavedChanges)

// The second delete throws, so the first one is undone with everything that its rules did.
do {
  try store.savepoint {
    try store.delete(album)
    try store.delete(jazz)
  }
} catch let error as GenreInUse {
  print("refused, songs:", error.songCount)
}
print(try store.count(Song.self), playlist.songs.map(\.title))

// The album's songs are deleted, and taken out of the playlist.
try store.delete(album)
print(try store.count(Song.self), playlist.songs.map(\.title))
try store.saveChanges()

// A delete by identities calls no rule, so a reference to a missing object remains.
let ids = try store.ids(Song.all)
try store.delete(ids)
try store.saveChanges()
let report = try store.verify()
print(report.isSound, report.problemCount)
for problem in report.problems { print(problem) }
try store.close()
