import Foundation
import TestSupport
import Todana

/// A store for the tool, with songs that have gaps in their row ids, a playlist, an empty class, indexes and named
/// buffers.
struct ToolStore {
  let directory: TemporaryDirectory
  let path: String
  /// The path of a file with the key that opens an encrypted store, without derivation.
  let keyFile: String
  let isEncrypted: Bool

  static let key = [UInt8](repeating: 7, count: 32)

  init(isEncrypted: Bool = false) throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("store")
    keyFile = directory.path("key")
    self.isEncrypted = isEncrypted
    try Data(Self.key).write(to: URL(filePath: keyFile))
    let store = try open()
    let songs = try (0..<40).map { index in
      let song = Song("song \(index)", seconds: UInt32(index))
      try store.insert(song)
      return song
    }
    let playlist = Playlist()
    playlist.title = "Träume\u{1B}[31m"
    playlist.songs = songs
    try store.insert(playlist)
    let node = Node()
    try store.insert(node)
    for index in 0..<5 {
      let song = IndexedSong()
      song.title = "\(index)"
      try store.insert(song)
    }
    try store.writeNamedBuffer("favourites", version: 3) { $0.writeReferences(Array(songs.prefix(3))) }
    try store.writeNamedBuffer("empty") { _ in }
    try store.saveChanges()
    for song in songs[10..<20] { try store.delete(song) }
    try store.delete(node)
    try store.saveChanges()
    try store.close()
  }

  /// The arguments with which the tool opens the store.
  var secret: [String] { isEncrypted ? ["--key-file", keyFile] : [] }

  func open(_ path: String? = nil) throws -> Store {
    var configuration = StoreConfiguration(encryption: isEncrypted ? .key(Self.key) : .none)
    configuration.indexBuilding = .onOpening
    return try Store(
      .directory(path ?? self.path), classes: [Song.self, Playlist.self, Node.self, IndexedSong.self],
      configuration: configuration)
  }

  func run(_ arguments: String..., input: String = "") throws -> ToolRun {
    try ToolRun(["store"] + arguments + secret, input: input)
  }
}
