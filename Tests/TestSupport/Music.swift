public import Todana

/// A song, as in the documentation's examples.
public final class Song: StoredObject {
  public var title = ""
  public var seconds: UInt32 = 0
  public var genre: String?
  public var isrc: String?

  public override class var version: UInt8 { 2 }
  public override class var storedName: String { "Song" }

  public override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = buffer.version >= 2 ? try buffer.readOptionalString() : nil
    isrc = buffer.version >= 2 ? try buffer.readOptionalString() : nil
  }
  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeOptionalString(isrc)
  }
}

public final class Playlist: StoredObject {
  public var title = ""
  public var songs: [Song] = []

  public override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    songs = try buffer.readReferences(Song.self)
  }
  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(songs)
  }
  public override func prepareForDelete(in store: Store) throws {
    for song in songs { try store.delete(song) }
  }
}

/// A node of a graph that may have cycles.
public final class Node: StoredObject {
  public var name = ""
  public var next: Node?
  public var others: [Node] = []

  public override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    next = try buffer.readReference(Node.self)
    others = try buffer.readReferences(Node.self)
  }
  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeReference(next)
    buffer.writeReferences(others)
  }
}

extension Song {
  public convenience init(_ title: String, seconds: UInt32 = 0) {
    self.init()
    self.title = title
    self.seconds = seconds
  }
}

/// A song with an index for its seconds and a unique one for its title.
public final class IndexedSong: StoredObject {
  public var title = ""
  public var seconds: UInt32 = 0

  public override class var indexes: [Index] { [Index(\IndexedSong.seconds), Index(\IndexedSong.title, unique: true)] }

  public override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}
