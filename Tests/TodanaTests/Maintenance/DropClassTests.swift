import TestSupport
import Testing
import Todana

private final class Note: StoredObject {
  var text = ""
  var song: Song?
  override class var contentFields: [ContentField] {
    [ContentField("text", .string), ContentField("song", .reference)]
  }
  override class var indexes: [Index] { [Index(\Note.text)] }
  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    song = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeReference(song)
  }
}

@Suite struct DropClassTests {
  @Test(arguments: EveryBackend.allCases)
  func `a class that is not registered is dropped with its indexes and fields`(_ every: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try every.open(in: directory)
    defer { try? backend.close() }
    do {
      let store = try Store(backend: backend, classes: [Note.self, Song.self])
      for number in 0..<100 {
        let note = Note()
        note.text = "\(number)"
        try store.insert(note)
        try store.insert(Song("\(number)"))
      }
      try store.saveChanges()
      try store.close()
    }
    let store = try Store(backend: backend, classes: [Song.self])
    #expect(try store.contentLayouts.map(\.className) == ["Note"])
    try store.dropClass(named: "Note")
    #expect(try store.catalog.map(\.name) == ["Song"])
    #expect(try store.contentLayouts.isEmpty)
    #expect(try store.count(Song.self) == 100)
    let report = try store.verify()
    #expect(report.problems.isEmpty && report.unknownClassNames.isEmpty)
    #expect(throws: StoreError.self) { try store.dropClass(named: "Note") }
    // The name can be used again, for a new class without old records.
    let again = try Store(backend: backend, classes: [Note.self, Song.self])
    #expect(try again.count(Note.self) == 0)
    try again.insert(Note())
    try again.saveChanges()
    #expect(try again.count(Note.where { $0.text == "" }) == 1)
    #expect(try again.verify().problems.isEmpty)
    try again.close()
    try store.close()
  }

  @Test func `a class that an open store has registered is not dropped`() throws {
    let store = try Store(.inMemory, classes: [Song.self])
    try store.insert(Song("a"))
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [Playlist.self])
    for dropping in [store, other] {
      let error = #expect(throws: StoreError.self) { try dropping.dropClass(named: "Song") }
      #expect(error?.code == .classInUse)
    }
    #expect(try store.count(Song.self) == 1)
    try store.close()
    try other.dropClass(named: "Song")
    #expect(try other.catalog[named: "Song"] == nil)
    try other.close()
  }

  @Test func `a dropped class stays in snapshots, is refused in a savepoint, and is durable`() throws {
    let directory = try TemporaryDirectory()
    let location = StoreLocation.directory(directory.path("S.todana"))
    do {
      let store = try Store(location, classes: [Song.self])
      try store.insert(Song("a"))
      try store.saveChanges()
      try store.close()
    }
    let store = try Store(location, classes: [])
    #expect(throws: StoreError.self) { try store.savepoint { try store.dropClass(named: "Song") } }
    try store.dropClass(named: "Song")
    try store.close()
    let again = try Store(location, classes: [Song.self])
    #expect(try again.count(Song.self) == 0)
    try again.close()
  }
}
