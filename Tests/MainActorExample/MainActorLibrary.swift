// A module whose default isolation is the main actor, as applications often have it: that this compiles is the test.
public import Todana

/// A stored class has to say that it is not of the main actor: `StoredObject` is not.
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

/// Everything else needs no annotation: it, its store and the store's objects live on the main actor.
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

  /// Saves without keeping the main actor from its work.
  public func rename(_ id: ObjectID<Song>, to title: String) async throws {
    guard let song = try store.fetch(id) else { return }
    try store.update(song) { $0.title = title }
    try await store.save()
  }

  /// Reads without keeping the main actor from its work.
  public func longestTitle() async throws -> String {
    var longest = ""
    for try await song in store.objects(Song.self) where song.title.count > longest.count { longest = song.title }
    return try await store.all(Song.self).contains { $0.title == longest } ? longest : ""
  }

  public func titles() throws -> [String] { try store.fetch(Song.self).map(\.title) }

  /// Work in the background has a store of its own over the same backend.
  public func totalSeconds() async throws -> UInt32 {
    let background = try StoreActor(backend: store.backend, classes: [Song.self])
    return try await background.perform { store in
      try store.fetch(Song.self).reduce(0) { $0 + $1.seconds }
    }
  }

  public func close() throws { try store.close() }
}
