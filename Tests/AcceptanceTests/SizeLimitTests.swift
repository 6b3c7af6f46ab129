// Objects whose content has any size, from empty to larger than the limit.
import Foundation
import TestSupport
import Testing
import Todana

/// A class that writes one string `repetitions` times, without keeping as many copies in memory.
private final class Large: StoredObject {
  var text = ""
  var repetitions: UInt32 = 1
  override func readContent(from buffer: inout DataBuffer) throws {
    repetitions = try buffer.readUInt32()
    for _ in 0..<repetitions { text = try buffer.readString() }
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt32(repetitions)
    for _ in 0..<repetitions { buffer.writeString(text) }
  }
}

private final class Empty: StoredObject {}

@Suite(.serialized) struct SizeLimitTests {
  let directory: TemporaryDirectory
  var location: StoreLocation { .directory(directory.path("store")) }

  init() throws { directory = try TemporaryDirectory() }

  @Test func `an object without content is saved and fetched`() throws {
    let store = try Store(location, classes: [Empty.self])
    let id = try store.insert(Empty())
    try store.writeNamedBuffer("empty") { _ in }
    try store.saveChanges()
    try store.close()
    let other = try Store(location, classes: [Empty.self])
    #expect(try other.fetch(id) != nil)
    #expect(try other.fetch(Empty.self).count == 1)
    #expect(try other.readNamedBuffer("empty") { $0.isAtEnd } == true)
    try other.close()
  }

  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"))
  func `a record of 300 MiB is saved, fetched, compacted, backed up and there after opening again`() throws {
    let store = try Store(location, classes: [Large.self])
    let large = Large()
    large.text = String(repeating: "0123456789abcdef", count: 300 << 16)
    let id = try store.insert(large)
    try store.saveChanges()
    #expect(try Store(backend: store.backend, classes: [Large.self]).fetch(id)?.text == large.text)
    try store.close()
    let other = try Store(location, classes: [Large.self])
    let small = Large()
    small.text = String(repeating: "x", count: 100 << 20)
    try other.insert(small)
    try other.saveChanges()
    try other.delete(small)
    try other.saveChanges()
    try other.compact()
    #expect(try other.fetch(Large.self).first?.text.utf8.count == 300 << 20)
    try other.backUp(to: directory.path("copy"))
    try other.close()
    let copy = try Store(.directory(directory.path("copy")), classes: [Large.self])
    #expect(try copy.fetch(id)?.text.utf8.count == 300 << 20)
    try copy.close()
  }

  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"), arguments: [(1 << 20, 1025), (2 << 30, 1)])
  func `a record over the limit is an error with class and row, and nothing is lost`(
    byteCount: Int, repetitions: UInt32
  ) throws {
    let store = try Store(location, classes: [Large.self, Song.self])
    let large = Large()
    large.text = String(repeating: "0123456789abcdef", count: byteCount / 16)
    large.repetitions = repetitions
    let id = try store.insert(large)
    try store.insert(Song("small"))
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .cannotEncode && error?.className == "Large" && error?.rowID == id.rowID)
    #expect((error?.underlying as? DataBufferError)?.code == .limitExceeded)
    #expect(store.hasUnsavedChanges)
    try store.delete(large)
    try store.saveChanges()
    try store.close()
    let other = try Store(location, classes: [Large.self, Song.self])
    #expect(try other.fetch(Song.self).map(\.title) == ["small"])
    #expect(try other.count(Large.self) == 0)
    try other.close()
  }
}
