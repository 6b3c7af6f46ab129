import Foundation
import TestSupport
import Testing
import Todana

/// Encrypting, decrypting, rotating keys, and passphrases in files.
@Suite struct ToolEncryptionTests {
  let directory: TemporaryDirectory
  /// The path of the store.
  let path: String
  /// The paths of files with passphrases.
  let old: String, new: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("store")
    old = directory.path("old")
    new = directory.path("new")
    try Data("correct horse\r\n".utf8).write(to: URL(filePath: old))
    try Data("new horse\n".utf8).write(to: URL(filePath: new))
  }

  private func open(_ encryption: StoreEncryption = .none) throws -> Store {
    var configuration = StoreConfiguration(encryption: encryption)
    configuration.passphraseCost = 10
    return try Store(.directory(path), classes: [Song.self, Playlist.self], configuration: configuration)
  }

  private func fill(_ encryption: StoreEncryption = .none) throws {
    let store = try open(encryption)
    let songs = (0..<500).map { Song("Blue in Green \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    let playlist = Playlist()
    playlist.title = "Late at Night"
    playlist.songs = songs
    try store.insert(playlist)
    try store.writeNamedBuffer("favourites") { $0.writeReferences(songs.suffix(3)) }
    try store.saveChanges()
    try store.close()
  }

  private func check(_ store: Store) throws {
    #expect(try store.fetch(Song.self).map(\.title) == (0..<500).map { "Blue in Green \($0)" })
    #expect(try store.fetch(Playlist.self).map(\.songs.count) == [500])
    #expect(try store.readNamedBuffer("favourites") { try $0.readReferences(Song.self).count } == 3)
  }

  private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(["store"] + arguments) }

  @Test func `a store is encrypted, gets new keys and is decrypted`() throws {
    try fill()
    #expect(try run("encrypt", path).status == 2)
    #expect(try run("encrypt", path, "--passphrase-file", old).status == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let content = try Data(contentsOf: URL(filePath: path + "/" + name))
      for word in ["Blue in Green", "Late at", "favourites", "Song"] {
        #expect(content.range(of: Data(word.utf8)) == nil, "\(name) has \(word)")
      }
    }
    #expect(try run("encrypt", path, "--passphrase-file", old).status == 3)
    #expect(try run("rotate", path, "--passphrase-file", new).status == 3)
    #expect(try run("rotate", path, "--passphrase-file", old, "--new-passphrase-file", new).status == 0)
    #expect(try run("verify", path, "--passphrase-file", old).status == 3)
    #expect(try run("verify", path, "--passphrase-file", new).status == 0)
    let store = try open(.passphrase("new horse"))
    try check(store)
    try store.close()
    #expect(try run("decrypt", path, "--passphrase-file", new).status == 0)
    #expect(try run("verify", path).status == 0)
    #expect(try run("decrypt", path).status == 3)
    let plain = try open()
    try check(plain)
    try plain.close()
  }

  @Test func `an interrupted decryption is resumed on request only`() throws {
    try fill(.passphrase("new horse"))
    let store = try open(.passphrase("new horse"))
    var steps = 0
    let isFinished = try store.decrypt { _ in
      steps += 1
      return steps < 3
    }
    try #require(!isFinished)
    try store.close()
    #expect(try run("verify", path, "--passphrase-file", new).status == 3)
    #expect(try run("decrypt", path, "--passphrase-file", new).status == 3)
    #expect(try run("decrypt", path, "--passphrase-file", new, "--resume").status == 0)
    #expect(try run("verify", path).status == 0)
    let plain = try open()
    try check(plain)
    try plain.close()
  }

  @Test func `a passphrase is read from a file`() throws {
    try fill(.passphrase("correct horse"))
    let verified = try run("verify", path, "--passphrase-file", old)
    #expect(verified.status == 0)
    #expect(verified.lines.last?.hasPrefix("501 records, 1 named buffer and 0 index entries on ") == true)
    #expect(try run("salvage", path, directory.path("salvaged"), "--passphrase-file", old).status == 0)
    #expect(try run("verify", directory.path("salvaged"), "--passphrase-file", old).status == 0)
    #expect(try run("verify", path).status == 3)
    #expect(try run("verify", path, "--passphrase-file", new).status == 3)
    #expect(try run("verify", path, "--key-file", new).status == 3)
    #expect(try run("verify", path, "--passphrase-file", directory.path("nowhere")).status == 3)
    #expect(try run("verify", path, "--passphrase-file", old, "--key-file", new).status == 2)
  }
}
