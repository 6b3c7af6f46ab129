import Todana

final class Song: StoredObject {
  @Loaded var title = ""
  @Loaded var seconds: UInt32 = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
  // Query texts and the tool use these names.
  override class var contentFields: [ContentField] {
    [ContentField("title", \Song.title), ContentField("seconds", \Song.seconds)]
  }
}

let store = try Store(.directory("Music.todana"), classes: [Song.self])

let song = Song()
song.title = "Blue in Green"
song.seconds = 327
let id = try store.insert(song)  // pending, visible in this store
try store.saveChanges()  // one atomic commit, on disk when this returns

try store.update(song) { $0.seconds = 337 }
try store.saveChanges()

let songs = try store.fetch(Song.self)
print(songs.map(\.title), try store.fetch(id)?.seconds ?? 0)
try store.close()
