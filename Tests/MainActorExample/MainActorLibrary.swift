// A module whose default isolation is the main actor, as in many applications. The test is that it compiles.
public import Todana

/// A stored class, which has to be declared nonisolated because `StoredObject` is not isolated to the main actor.
public nonisolated final class Song: StoredObject {
  public var title = ""
  public var seconds: UInt32 = 0

  public override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  public override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

/// A library that needs no annotations: the library, its store and the store's objects live on the main actor.
public final class Library {
  private let store: Store

  public init() throws {
    store = try Store(.inMemory, classes: [Song.self])
  }

  @discardableResult
  public func add(_ title: String, seconds: UInt32) throws -> ObjectID<Song> {
    let song = Song()
    song.title = title
    song.seconds = seconds
    let id = try store.insert(song)
    try store.saveChanges()
    return id
  }

  /// Renames a song and saves without blocking the main actor.
  public func rename(_ id: ObjectID<Song>, to title: String) async throws {
    guard let song = try store.fetch(id) else { return }
    try store.update(song) { $0.title = title }
    try await store.save()
  }

  /// Returns the longest title, reading without blocking the main actor.
  public func longestTitle() async throws -> String {
    var longest = ""
    for try await song in store.objects(Song.self) where song.title.count > longest.count { longest = song.title }
    return try await store.all(Song.self).contains { $0.title == longest } ? longest : ""
  }

  public func titles() throws -> [String] { try store.fetch(Song.self).map(\.title) }

  /// Returns the sum of the seconds of all songs, read in the background by another store over the same backend.
  public func totalSeconds() async throws -> UInt32 {
    let background = try StoreActor(backend: store.backend, classes: [Song.self])
    return try await background.perform { store in
      try store.fetch(Song.self).reduce(0) { $0 + $1.seconds }
    }
  }

  public func close() throws { try store.close() }
}
