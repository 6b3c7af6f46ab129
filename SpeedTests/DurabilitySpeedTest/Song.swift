import Todana

final class Song: StoredObject {
  var title = ""
  var seconds: UInt32 = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

extension Store {
  /// Inserts songs with at most a million per save, so that memory does not grow with the count.
  func insertSongs(_ count: Int) throws {
    for start in stride(from: 0, to: count, by: 1_000_000) {
      for index in start..<min(count, start + 1_000_000) {
        let song = Song()
        song.title = "Test Song"
        song.seconds = UInt32(index)
        try insert(song)
      }
      try saveChanges()
    }
  }

  /// Returns the id of the song with this index.
  ///
  /// Row ids start at 1.
  func songID(_ index: Int) throws -> ObjectID<Song> {
    guard let classID = try catalog[Song.self]?.id else { throw MissingClass() }
    return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: RowID(index + 1)))
  }
}

struct MissingClass: Error {}
