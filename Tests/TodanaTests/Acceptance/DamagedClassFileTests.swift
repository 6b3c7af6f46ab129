// Bits flipped in a class's file: reading what they concern is an error that names the place, everything else is there.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DamagedClassFileTests {
  let files: StoreFiles

  init() throws { files = try StoreFiles() }

  private func open() throws -> Store { try Store(.directory(files.path), classes: [Song.self, Node.self]) }

  /// What reading all songs reports, and how many are delivered nevertheless.
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

  @Test func `a flipped bit in the header concerns its class only`() throws {
    for offset in [0, 8, 20, 36, 60] {
      try files.change("Song") { $0[offset] ^= 4 }
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
      try files.change("Song") { $0[offset] ^= 4 }
    }
    let store = try open()
    #expect(try store.count(Song.self) == StoreFiles.songCount)
    try store.close()
  }

  @Test func `a flipped bit in the bucket array makes fetches of its rows errors, and loses nothing`() throws {
    try files.change("Song") { $0[12_000] ^= 1 }
    let store = try open()
    let (errors, songs) = try read(store)
    #expect(errors.isEmpty && songs.count == StoreFiles.songCount)
    let ids = songs.compactMap(\.id)
    try store.close()
    let other = try open()
    var failures = 0
    for id in ids {
      do {
        #expect(try other.fetch(id)?.seconds == UInt32(id.rowID))
      } catch {
        failures += 1
        expectPlace(error)
        #expect(error.rowID == id.rowID)
      }
    }
    #expect(failures > 0 && failures < 1_000)
    try other.close()
  }

  @Test func `a flipped bit in the record area is reported, and the records of other pages are delivered`() throws {
    let size = try Data(contentsOf: files.url("Song")).count
    for offset in [40_000, size / 2, size - 300] {
      try files.change("Song") { $0[offset] ^= 1 }
      let store = try open()
      expectPlace(#expect(throws: StoreError.self) { try store.fetch(Song.self) })
      let (errors, songs) = try read(store)
      #expect(!errors.isEmpty)
      for error in errors { expectPlace(error) }
      // A page of 4 KiB holds fewer than 200 of them.
      #expect(songs.count > StoreFiles.songCount - 200 && songs.count < StoreFiles.songCount)
      #expect(errors.contains { $0.backendError?.page == offset / 4096 })
      // By their ids, too.
      let found = Set(songs.map { RowID($0.seconds) })
      for row in 1...RowID(StoreFiles.songCount) where found.contains(row) {
        let id = ObjectID<Song>(unchecked: AnyObjectID(classID: try #require(songs[0].id).classID, rowID: row))
        #expect(try store.fetch(id)?.seconds == UInt32(row))
      }
      try store.close()
      try files.change("Song") { $0[offset] ^= 1 }
    }
  }

  @Test func `several damaged pages are each reported`() throws {
    let size = try Data(contentsOf: files.url("Song")).count
    let offsets = [50_000, 54_100, 80_000, size - 5_000]
    try files.change("Song") { bytes in for offset in offsets { bytes[offset] ^= 0x80 } }
    let store = try open()
    let (errors, songs) = try read(store)
    let pages = Set(errors.compactMap { $0.backendError?.page })
    #expect(pages.isSuperset(of: offsets.map { $0 / 4096 }))
    #expect(songs.count > StoreFiles.songCount - 800)
    // Other classes can be written to.
    try store.insert(Node())
    try store.saveChanges()
    try store.close()
    let other = try open()
    #expect(try other.count(Node.self) == StoreFiles.nodeCount + 1)
    try other.close()
  }

  @Test func `a missing class file concerns its class only`() throws {
    try FileManager.default.removeItem(at: files.url("Song"))
    let store = try open()
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.className == "Song" && error?.backendError?.file != nil, "\(String(describing: error))")
    #expect(try store.fetch(Node.self).count == StoreFiles.nodeCount)
    try? store.close()
  }
}
