import TestSupport
import Testing
import Todana

/// A class whose stored name the test sets.
private final class Renamed: StoredObject {
  nonisolated(unsafe) static var name = ""
  override class var storedName: String { unsafe name }
}

private final class Accented: StoredObject {
  override class var storedName: String { "Cafe\u{301}" }
}

@Suite(.serialized) struct NameTests {
  let directory: TemporaryDirectory
  var location: StoreLocation { .directory(directory.path("store")) }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [
    "/", "../../x", "..", "\u{1}\n\u{7F}", "Ελληνικά 🎺 日本語 \u{202E}", "%2F%\\", String(repeating: "x", count: 255),
    String(repeating: "é/", count: 85),
  ])
  func `a class and a buffer may have any name up to 255 bytes`(name: String) throws {
    unsafe Renamed.name = name
    let store = try Store(location, classes: [Renamed.self, Song.self])
    let id = try store.insert(Renamed())
    try store.insert(Song("beside"))
    try store.writeNamedBuffer(name) { $0.writeString(name) }
    try store.saveChanges()
    try store.close()
    let other = try Store(location, classes: [Renamed.self, Song.self])
    #expect(try other.fetch(id) != nil)
    #expect(try other.catalog[named: name]?.recordCount == 1)
    #expect(try other.readNamedBuffer(name) { try $0.readString() } == name)
    #expect(try other.namedBufferNames() == [name])
    try other.close()
  }

  @Test(arguments: ["", "a\0b", "\0", String(repeating: "x", count: 256), String(repeating: "🎺", count: 64)])
  func `an invalid class name is an error, and the directory can still be opened`(name: String) throws {
    unsafe Renamed.name = name
    let error = #expect(throws: StoreError.self) { try Store(location, classes: [Renamed.self]) }
    #expect(error?.code == .invalidClassName)
    #expect(error?.message.contains("Renamed") == true)
    try Store(location, classes: [Song.self]).close()
  }

  @Test(arguments: ["", "a\0b", "\0", String(repeating: "x", count: 1025)])
  func `an invalid buffer name is an error in every call, and nothing becomes pending`(name: String) throws {
    let store = try Store(location, classes: [Song.self])
    let calls: [() throws -> Void] = [
      { try store.writeNamedBuffer(name) { _ in } }, { _ = try store.readNamedBuffer(name) { _ in } },
      { try store.removeNamedBuffer(name) },
    ]
    for call in calls { #expect(#expect(throws: StoreError.self) { try call() }?.code == .invalidName) }
    #expect(!store.hasUnsavedChanges)
    try store.close()
  }

  @Test func `names that differ in normalization or case only are different names`() throws {
    unsafe Renamed.name = "Caf\u{E9}"
    var store = try Store(location, classes: [Renamed.self, Accented.self, Song.self])
    try store.insert(Renamed())
    try store.writeNamedBuffer("\u{E9}") { $0.writeString("composed") }
    try store.writeNamedBuffer("e\u{301}") { $0.writeString("decomposed") }
    try store.writeNamedBuffer("E\u{301}") { $0.writeString("upper case") }
    for isSaved in [false, true] {
      #expect(try store.count(Renamed.self) == 1)
      #expect(try store.count(Accented.self) == 0)
      #expect(try store.readNamedBuffer("\u{E9}") { try $0.readString() } == "composed")
      #expect(try store.readNamedBuffer("e\u{301}") { try $0.readString() } == "decomposed")
      #expect(try store.namedBufferNames().count == 3)
      if isSaved { break }
      try store.saveChanges()
      try store.close()
      store = try Store(location, classes: [Accented.self, Renamed.self, Song.self])
    }
    try store.close()
  }
}
