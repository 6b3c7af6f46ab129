import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct NamedBufferTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self]) }

  @Test func `a named buffer is saved with the next save, and visible at once`() throws {
    try store.writeNamedBuffer("settings", version: 3) { $0.writeString("x") }
    #expect(store.hasUnsavedChanges)
    let pending = try store.readNamedBuffer("settings") { "\($0.version) \(try $0.readString())" }
    #expect(pending == "3 x")
    #expect(try store.readNamedBuffer("settings", includingPending: false) { _ in } == nil)
    #expect(try store.namedBufferNames() == ["settings"])
    #expect(try store.namedBufferNames(includingPending: false) == [])
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [])
    let saved = try other.readNamedBuffer("settings") { "\($0.version) \(try $0.readString())" }
    #expect(saved == "3 x")
  }

  @Test func `a named buffer can be written at once, without other changes`() throws {
    try store.insert(Song("pending"))
    try store.writeNamedBuffer("b") { $0.writeUInt8(1) }
    try store.writeNamedBuffer("b", immediately: true) { $0.writeUInt8(2) }
    #expect(try store.count(Song.self, includingPending: false) == 0)
    #expect(try store.readNamedBuffer("b") { try $0.readUInt8() } == 2)
    let other = try Store(backend: backend, classes: [])
    #expect(try other.readNamedBuffer("b") { try $0.readUInt8() } == 2)
    #expect(try store.removeNamedBuffer("b", immediately: true))
    #expect(try other.namedBufferNames() == [])
    #expect(store.hasUnsavedChanges)
  }

  @Test func `a removal takes effect with the next save, and returns whether the buffer existed`() throws {
    #expect(try !store.removeNamedBuffer("b"))
    #expect(!store.hasUnsavedChanges)
    try store.writeNamedBuffer("b") { $0.writeUInt8(1) }
    #expect(try store.removeNamedBuffer("b"))
    #expect(!store.hasUnsavedChanges)
    try store.writeNamedBuffer("b") { $0.writeUInt8(1) }
    try store.saveChanges()
    #expect(try store.removeNamedBuffer("b"))
    #expect(try !store.removeNamedBuffer("b"))
    #expect(try store.namedBufferNames() == [])
    #expect(try store.readNamedBuffer("b") { _ in } == nil)
    try store.saveChanges()
    try store.writeNamedBuffer("b") { $0.writeUInt8(2) }
    try store.saveChanges()
    #expect(try store.readNamedBuffer("b") { try $0.readUInt8() } == 2)
  }

  @Test func `a buffer may hold references, but not to objects that are saved later`() throws {
    let song = Song("a")
    try store.insert(song)
    try store.writeNamedBuffer("later") { $0.writeReference(song) }
    let error = #expect(throws: StoreError.self) {
      try store.writeNamedBuffer("now", immediately: true) { $0.writeReference(song) }
    }
    #expect(error?.code == .cannotEncode)
    #expect(throws: StoreError.self) { try store.writeNamedBuffer("lost") { $0.writeReference(Song("b")) } }
    try store.saveChanges()
    let title = try store.readNamedBuffer("later") { try $0.readReference(Song.self)?.title }
    #expect(title == "a")
    #expect(try store.namedBufferNames() == ["later"])
  }

  @Test(arguments: ["", String(repeating: "x", count: 1025)])
  func `a name has 1 to 1024 bytes`(name: String) throws {
    let error = #expect(throws: StoreError.self) { try store.writeNamedBuffer(name) { _ in } }
    #expect(error?.code == .invalidName)
  }

  @Test func `an error of the closure is passed on, and nothing is written`() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try store.writeNamedBuffer("b") { _ in throw Refusal() } }
    #expect(!store.hasUnsavedChanges)
    try store.writeNamedBuffer("b") { $0.writeUInt8(1) }
    #expect(throws: Refusal.self) { try store.readNamedBuffer("b") { _ in throw Refusal() } }
  }

  @Test func `many buffers are listed in order and all found`() throws {
    let names = (0..<300).map { "buffer \($0)" }
    for name in names { try store.writeNamedBuffer(name) { $0.writeString(name) } }
    try store.saveChanges()
    #expect(try store.namedBufferNames() == names.sorted())
    for name in names {
      let content = try store.readNamedBuffer(name) { try $0.readString() }
      #expect(content == name)
    }
  }
}
