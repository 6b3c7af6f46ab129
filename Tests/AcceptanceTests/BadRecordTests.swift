// Records that do not fit their class: written to a directory through the backend, read through a store.
import TestSupport
import Testing
import Todana

/// Another version of the class that is stored as "Song".
private final class NewerSong: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 9 }
}

private final class ShorterSong: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 2 }
  override func readContent(from buffer: inout DataBuffer) throws { _ = try buffer.readString() }
}

private final class LongerSong: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 2 }
  override func readContent(from buffer: inout DataBuffer) throws {
    for _ in 0..<1_000 { _ = try buffer.readUInt64() }
  }
}

@Suite struct BadRecordTests {
  let directory: TemporaryDirectory
  var location: StoreLocation { .directory(directory.path("store")) }

  init() throws {
    directory = try TemporaryDirectory()
    let store = try Store(location, classes: [Song.self])
    for index in 1...5 { try store.insert(Song("\(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    try store.close()
  }

  @Test(arguments: [[], [0], [1, 2, 3], Array(repeating: 0xA5, count: 100)] as [[UInt8]])
  func `a record that has no envelope is an error with class and row`(bytes: [UInt8]) throws {
    let backend = try KyotoBackend(.directory(directory.path("store")))
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put(bytes, row: 3, in: songs, expecting: .anything) }
    try backend.close()
    let store = try Store(location, classes: [Song.self])
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.code == .damagedRecord && error?.className == "Song" && error?.rowID == 3)
    #expect(error?.underlying != nil)
    var reported: [RowID?] = []
    let healthy = try store.fetch(Song.self, onDamage: .report { reported.append($0.rowID) })
    #expect(healthy.map(\.seconds) == [1, 2, 4, 5] && reported == [3])
    try store.close()
  }

  @Test func `a record that is longer or shorter than its class reads is an error with class and row`() throws {
    for (type, code) in [(ShorterSong.self, DataBufferError.Code.trailingBytes), (LongerSong.self, .truncated)]
      as [(StoredObject.Type, DataBufferError.Code)]
    {
      let store = try Store(location, classes: [type])
      let error = #expect(throws: StoreError.self) { try store.fetch(type) }
      #expect(error?.code == .unreadableContent && error?.className == "Song" && error?.rowID == 1)
      #expect((error?.underlying as? DataBufferError)?.code == code)
      try store.close()
    }
    let store = try Store(location, classes: [Song.self])
    #expect(try store.fetch(Song.self).count == 5)
    try store.close()
  }

  @Test func `a record of a newer version is an error with class and row, and is not lost`() throws {
    let newer = try Store(location, classes: [NewerSong.self])
    try newer.insert(NewerSong())
    try newer.saveChanges()
    try newer.close()
    let store = try Store(location, classes: [Song.self])
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.code == .newerVersion && error?.className == "Song" && error?.rowID != nil)
    var healthy = 0
    try store.forEach(Song.self, onDamage: .report { _ in }) { _, _ in healthy += 1 }
    #expect(healthy == 5)
    #expect(try store.count(Song.self) == 6)
    try store.close()
  }
}
