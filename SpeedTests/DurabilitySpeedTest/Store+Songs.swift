import SpeedTestSubjects
import Todana

extension Store {
  /// Inserts songs, a million a save at most, so that memory does not grow with the count.
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

  /// The identity of the song with this index: row ids start at 1.
  func songID(_ index: Int) throws -> ObjectID<Song> {
    guard let classID = try catalog[Song.self]?.id else { throw MissingClass() }
    return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: RowID(index + 1)))
  }
}

struct MissingClass: Error {}
