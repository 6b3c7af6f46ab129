// Flipped bits in a class's file. Reading a damaged record is an error that names its place; all other records are
// read.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DamagedClassFileTests {
  let files: StoreFiles

  init() throws { files = try StoreFiles() }

  private func open() throws -> Store { try Store(.directory(files.path), classes: [Song.self, Node.self]) }

  /// Reads all songs; returns the errors that were reported and the songs that were delivered nevertheless.
  private func read(_ store: Store) throws -> (errors: [StoreError], songs: [Song]) {
    var errors: [StoreError] = []
    let songs = try store.fetch(Song.self, onDamage: .report { errors.append($0) })
    for song in songs { #expect(song.title == StoreFiles.title(Int(song.seconds))) }
    #expect(Set(songs.map(\.seconds)).count == songs.count)
    var streamed = 0
    try store.forEach(Song.self, onDamage: .report { _ in }) { _, _ in streamed += 1 }
    #expect(streamed == songs.count)
    var raw = 0
    try store.rawRecords(ofClassNamed: "Song", onDamage: .report { _ in }) { _, _ in raw += 1 }
    #expect(raw == songs.count)
    return (errors, songs)
  }

  private func expectPlace(_ error: StoreError?, sourceLocation: SourceLocation = #_sourceLocation) {
    let names = error?.rowID != nil || (error?.backendError?.file != nil && error?.backendError?.page != nil)
    #expect(
      error?.code == .damagedRecord && error?.className == "Song" && names,
      "\(String(describing: error))", sourceLocation: sourceLocation)
  }

  @Test func `several flipped bits in a header damage only their class`() throws {
    for offset in [0, 8, 20, 36, 60] {
      try files.change("Song") { $0[offset] ^= 0x14 }
      let store = try open()
      expectPlace(#expect(throws: StoreError.self) { try store.fetch(Song.self) })
      expectPlace(#expect(throws: StoreError.self) { try store.count(Song.self) })
      expectPlace(#expect(throws: StoreError.self) { try store.forEach(Song.self) { _, _ in } })
      #expect(try store.fetch(Node.self).count == StoreFiles.nodeCount)
      #expect(try store.readNamedBuffer("buffer") { try $0.readString() } == "content")
      let entries = try store.catalog
      #expect(entries[Node.self]?.recordCount == StoreFiles.nodeCount)
      #expect(entries[Song.self] != nil)
      try? store.close()
      try files.change("Song") { $0[offset] ^= 0x14 }
    }
    let store = try open()
    #expect(try store.count(Song.self) == StoreFiles.songCount)
    try store.close()
  }

  @Test(arguments: [1, 0x81] as [UInt8])
  func `flipped bits in the bucket array lose nothing`(_ bits: UInt8) throws {
    try files.change("Song") { $0[12_000] ^= bits }
    let store = try open()
    let (errors, songs) = try read(store)
    #expect(errors.isEmpty && songs.count == StoreFiles.songCount)
    let ids = songs.compactMap(\.id)
    try store.close()
    let other = try open()
    for id in ids { #expect(try other.fetch(id)?.seconds == UInt32(id.rowID)) }
    try other.close()
  }

  @Test(arguments: [1, 0x5A] as [UInt8])
  func `flipped bits in the record area are reported, and damage at most their page`(_ bits: UInt8) throws {
    let content = try Data(contentsOf: files.url("Song"))
    for index in [5, 1_500, 2_990] {
      let offset = try #require(content.range(of: Data(StoreFiles.title(index).utf8))).lowerBound + 2
      try files.change("Song") { $0[offset] ^= bits }
      let store = try open()
      expectPlace(#expect(throws: StoreError.self) { try store.fetch(Song.self) })
      let (errors, songs) = try read(store)
      for error in errors { expectPlace(error) }
      #expect(errors.contains { $0.rowID != nil || $0.backendError?.page == offset / 4096 })
      // One wrong bit loses one row. Several lose at most the rows on their page of 4 KiB, fewer than 200.
      let lostCount = bits == 1 ? 1 : 200
      #expect(songs.count >= StoreFiles.songCount - lostCount && songs.count < StoreFiles.songCount)
      // Each song that was found can also be fetched by its id.
      let found = Set(songs.map { RowID($0.seconds) })
      for row in 1...RowID(StoreFiles.songCount) where found.contains(row) {
        let id = ObjectID<Song>(unchecked: AnyObjectID(classID: try #require(songs[0].id).classID, rowID: row))
        #expect(try store.fetch(id)?.seconds == UInt32(row))
      }
      try store.close()
      try files.change("Song") { $0[offset] ^= bits }
    }
  }

  @Test func `pages with a wrong bit lose at most one row each`() throws {
    let size = try Data(contentsOf: files.url("Song")).count
    let offsets = [50_000, 54_100, 80_000, size - 5_000]
    try files.change("Song") { bytes in for offset in offsets { bytes[offset] ^= 0x80 } }
    let store = try open()
    let (errors, songs) = try read(store)
    #expect(!errors.isEmpty && Set(errors.compactMap(\.rowID)).count == errors.count)
    #expect(errors.count <= offsets.count && songs.count + errors.count == StoreFiles.songCount)
    try store.insert(Node())
    try store.saveChanges()
    try store.close()
    let other = try open()
    #expect(try other.count(Node.self) == StoreFiles.nodeCount + 1)
    try other.close()
  }

  @Test func `a missing class file damages only its class`() throws {
    try FileManager.default.removeItem(at: files.url("Song"))
    let store = try open()
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.className == "Song" && error?.backendError?.file != nil, "\(String(describing: error))")
    #expect(try store.fetch(Node.self).count == StoreFiles.nodeCount)
    try? store.close()
  }
}
