import Todana

final class Song: StoredObject {
  @Loaded var title = ""
  @Loaded var seconds: UInt32 = 0
  @Loaded var genre: String?  // new in version 2

  override class var version: UInt8 { 2 }
  override class var storedName: String { "Song" }  // the default; keep it if you rename the class

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = buffer.version >= 2 ? try buffer.readOptionalString() : nil
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
  }
}

final class Playlist: StoredObject {
  @Loaded var title = ""
  @Loaded var songs: [Song] = []  // read back as faults, in order

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    songs = try buffer.readReferences(Song.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(songs)
  }
  override func prepareForDelete(in store: Store) throws {  // a delete rule in code: its songs go with it
    for song in songs { try store.delete(song) }
  }
}

let store = try Store(.directory("Music.todana"), classes: [Song.self, Playlist.self])
let playlist = Playlist()
playlist.title = "Kind of Blue"
for (title, seconds) in [("So What", 565), ("Blue in Green", 327)] {
  let song = Song()
  song.title = title
  song.seconds = UInt32(seconds)
  playlist.songs.append(song)
  try store.insert(song)
}
let id = try store.insert(playlist)
try store.writeNamedBuffer("last played") { buffer in buffer.writeReferences(playlist.songs) }
try store.saveChanges()  // playlist, songs and named buffer in one commit
try store.close()

// Another run of the program.
let library = try StoreActor(.directory("Music.todana"), classes: [Song.self, Playlist.self])
let titles = try await library.perform { store in
  guard let playlist = try store.fetch(id) else { return [String]() }
  try store.load(playlist.songs)  // one batched read for all of them
  return playlist.songs.map(\.title)
}
print(titles)
let longest = try await library.perform { store in
  var longest: UInt32 = 0
  try store.forEach(Song.self) { song, _ in longest = max(longest, song.seconds) }
  return longest
}
print(longest)
let played = try await library.perform { store in
  try store.readNamedBuffer("last played") { buffer in try buffer.readReferences(Song.self).count }
}
print(played ?? 0)
try await library.perform { store in
  if let playlist = try store.fetch(id) { try store.delete(playlist) }
  print(try store.count(Song.self))  // pending deletes are seen at once
  store.discardChanges()
  print(try store.count(Song.self))
  try store.close()
}
