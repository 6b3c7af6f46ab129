import Foundation
import TestSupport
import Testing
import Todana

/// Copies with their own encryption: they have all saved records under the same row ids, and none of the original's
/// keys.
@Suite struct CopyTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private static let classes = [Song.self, Playlist.self, Node.self] as [StoredObject.Type]

  private static func encryption(_ isEncrypted: Bool, _ byte: UInt8) -> StoreEncryption {
    isEncrypted ? .key([UInt8](repeating: byte, count: 32)) : .none
  }

  private func open(
    _ name: String, _ encryption: StoreEncryption, _ classes: [StoredObject.Type] = CopyTests.classes
  ) throws -> Store {
    try Store(
      .directory(directory.path(name)), classes: classes,
      configuration: StoreConfiguration(encryption: encryption))
  }

  private func fill(_ store: Store) throws -> [AnyObjectID] {
    let songs = (0..<3000).map { Song("song \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    for index in 0..<5 {
      let playlist = Playlist()
      playlist.title = "list \(index)"
      playlist.songs = Array(songs.suffix(index * 100))
      try store.insert(playlist)
    }
    try store.writeNamedBuffer("favourites", version: 3) { $0.writeReferences(Array(songs.prefix(3))) }
    try store.writeNamedBuffer("a long one") { $0.writeString(String(repeating: "x", count: 6 << 20)) }
    try store.saveChanges()
    for song in songs[100..<200] { try store.delete(song) }
    try store.delete(try #require(songs.last))
    try store.saveChanges()
    return try songs[0..<100].map { AnyObjectID(try #require($0.id)) }
  }

  @Test(arguments: [false, true], [false, true])
  func `a copy has all saved records, and is used independently`(fromEncrypted: Bool, toEncrypted: Bool) throws {
    let store = try open("Store", Self.encryption(fromEncrypted, 1))
    let ids = try fill(store)
    try store.insert(Song("pending"))
    var steps: [CopyProgress] = []
    let number = try store.backUp(to: directory.path("Copy"), encryption: Self.encryption(toEncrypted, 2)) {
      steps.append($0)
      // Changes saved during the copy are not in it.
      if steps.count == 1 { try store.saveChanges() }
    }
    let last = try #require(steps.last)
    #expect(last.copiedCount == 2899 + 5 + 2)
    #expect(last.recordCount == last.copiedCount)
    #expect(last.commitNumber == number)
    #expect(!FileManager.default.fileExists(atPath: directory.path("Copy.partial")))

    let copy = try open("Copy", Self.encryption(toEncrypted, 2))
    #expect(copy.backend.storeID != store.backend.storeID)
    #expect((copy.backend.keyRing != nil) == toEncrypted)
    #expect(try copy.verify().isSound)
    #expect(try copy.fetch(Song.self).count == 2899)
    #expect((try copy.fetch(ids[7]) as? Song)?.title == "song 7")
    #expect(try copy.fetch(Playlist.self).map(\.title) == (0..<5).map { "list \($0)" })
    #expect(try copy.namedBufferNames().sorted() == ["a long one", "favourites"])
    let favourites = try copy.readNamedBuffer("favourites") { buffer in
      #expect(buffer.version == 3)
      return try buffer.readReferences(Song.self).map { $0.id?.rowID }
    }
    #expect(favourites == ids[0..<3].map(\.rowID))
    // No row id is handed out twice, not even the id of the deleted last row.
    let song = Song("new")
    #expect(try copy.insert(song).rowID > 3000)
    try copy.insert(Node())
    try copy.saveChanges()
    #expect(try copy.verify().isSound)
    try copy.close()
    try store.close()
    for wrong in [Self.encryption(fromEncrypted, 1), Self.encryption(!toEncrypted, 2)]
    where toEncrypted || fromEncrypted {
      #expect(throws: StoreError.self) { try open("Copy", wrong) }
    }
  }

  @Test func `unlisted classes and classes without records are copied, too`() throws {
    let store = try open("Store", Self.encryption(true, 1))
    _ = try fill(store)
    for _ in 0..<6 { try store.insert(Node()) }
    try store.saveChanges()
    for node in try store.fetch(Node.self) { try store.delete(node) }
    try store.saveChanges()
    try store.close()
    let other = try open("Store", Self.encryption(true, 1), [Song.self])
    try other.backUp(to: directory.path("Copy"), encryption: .none)
    try other.close()
    let copy = try open("Copy", .none)
    #expect(try copy.fetch(Node.self).isEmpty)
    #expect(try copy.fetch(Playlist.self).count == 5)
    #expect(try copy.insert(Node()).rowID > 6)
    #expect(try copy.verify().isSound)
    try copy.close(discarding: true)
  }

  struct Interruption: Error {}

  @Test func `an interrupted copy leaves nothing`() throws {
    let store = try open("Store", .none)
    _ = try fill(store)
    #expect(throws: Interruption.self) {
      try store.backUp(to: directory.path("Copy"), encryption: .none) { _ in throw Interruption() }
    }
    #expect(throws: (any Error).self) {
      try store.backUp(to: directory.path("no such directory/Copy"), encryption: .passphrase(""))
    }
    #expect(throws: StoreError.self) { try store.backUp(to: directory.path("Store"), encryption: .none) }
    // Another process is making a copy at this path.
    let taken = try KyotoBackend(.directory(directory.path("Copy.partial")))
    #expect(throws: StoreError.self) { try store.backUp(to: directory.path("Copy"), encryption: .none) }
    try taken.close()
    try store.backUp(to: directory.path("Copy"), encryption: .none)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("."))
    #expect(names.sorted() == ["Copy", "Store"])
    try store.close()
  }

  @Test func `a damaged record keeps a copy from being made`() throws {
    let store = try open("Store", Self.encryption(true, 1))
    let ids = try fill(store)
    // Changes a record like an attacker who corrects checksums and has no keys.
    let chunk = RecordChunk()
    let rows = [ids[50].rowID]
    try store.backend.read(rows: rows.span, of: ids[50].classID, into: chunk)
    var batch = WriteBatch()
    var value = unsafe [UInt8](chunk.arena.bytes[chunk.slices[0].value])
    value[20] ^= 1
    batch.put(value, row: rows[0], in: ids[50].classID, expecting: .anything)
    _ = try store.backend.commit(batch, durability: .full)
    let error = #expect(throws: StoreError.self) {
      try store.backUp(to: directory.path("Copy"), encryption: .none)
    }
    #expect(error?.code == .damagedRecord)
    #expect(error?.rowID == rows[0])
    #expect(error?.className == "Song")
    #expect(!FileManager.default.fileExists(atPath: directory.path("Copy")))
    #expect(!FileManager.default.fileExists(atPath: directory.path("Copy.partial")))
    try store.close()
  }
}
