import Todana

final class Label: StoredObject {
  var name = ""
  @Inverse(\Album.label) var albums: [Album]

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

final class Album: StoredObject {
  var title = ""
  var label: Label?
  var songs: [Song] = []
  @Inverse(\Review.album) var reviews: [Review]

  override class var relationships: [Relationship] {
    [
      // The songs are deleted with the album. A song that is deleted by itself is removed from the list.
      Relationship(\Album.songs, onDelete: .cascade, onTargetDelete: .nullify),
      // A label cannot be deleted as long as it has albums.
      Relationship(\Album.label, onTargetDelete: .deny),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    label = try buffer.readReference()
    songs = try buffer.readReferences()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReference(label)
    buffer.writeReferences(songs)
  }
}

final class Song: StoredObject {
  var title = ""
  @Inverse(\Album.songs) var albums: [Album]

  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

final class Review: StoredObject {
  var stars = 0
  var album: Album?

  // A review is deleted with its album.
  override class var relationships: [Relationship] { [Relationship(\Review.album, onTargetDelete: .cascade)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    stars = try buffer.readInt()
    album = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(stars)
    buffer.writeReference(album)
  }
}

let store = try Store(.inMemory, classes: [Label.self, Album.self, Song.self, Review.self])
store.undoStack = UndoStack(levels: 100)
let label = Label()
label.name = "Columbia"
let album = Album()
album.title = "Kind of Blue"
album.label = label
let review = Review()
review.stars = 5
review.album = album
for title in ["So What", "Blue in Green", "All Blues"] {
  let song = Song()
  song.title = title
  try store.insert(song)
  album.songs.append(song)
}
for object in [label, album, review] as [StoredObject] { try store.insert(object) }
try store.saveChanges()

// The other direction: who refers to an object.
print(label.albums.map(\.title), try album.songs[0].referrers(\Album.songs).map(\.title))

// A rule forbids this delete.
do {
  try store.delete(label)
} catch let error as StoreError where error.code == .deleteDenied {
  print("denied by", try store.fetch(error.objectIDs).compactMap { ($0 as? Album)?.title })
}

// A song that is deleted leaves the list.
try store.undoGroup("Delete Song") { try store.delete(album.songs[1]) }
try store.saveChanges()
print(album.songs.map(\.title))

// Undoing makes pending changes. The song returns under its own identity, and to its place in the list.
print(store.undoStack?.undoName ?? "")
try store.undo()
try store.saveChanges()
print(album.songs.map(\.title), store.undoStack?.redoName ?? "")

// A copy has an identity of its own, and copies of those objects that are copied with it.
let copy = try store.copy(album, including: [\Album.songs])
try store.update(copy) { $0.title = "Kind of Blue (copy)" }
try store.saveChanges()
print(try store.count(Album.self), try store.count(Song.self), label.albums.map(\.title))

// An album takes its songs and its reviews with it.
try store.delete(album)
try store.saveChanges()
print(try store.count(Album.self), try store.count(Song.self), try store.count(Review.self))
print(try store.verify().problemCount)
try store.close()
