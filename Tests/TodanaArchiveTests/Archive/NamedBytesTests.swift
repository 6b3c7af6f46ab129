import Testing
import Todana

@testable import TodanaArchive

/// Tests of the classes whose objects are found by content name.
@Suite struct NamedBytesTests {
  private let scratch: ScratchArchive
  private let name = ContentName(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
  private let encodedName: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9]

  init() throws { scratch = try ScratchArchive() }

  private func indexNames<T: NamedObject>(of type: T.Type) throws -> [String] {
    try scratch.archive.store.explain(ContentStore.first(type, named: name)).indexNames
  }

  @Test func `content, small files and pages are found by their index of names`() throws {
    #expect(try indexNames(of: StoredContent.self) == ["name"])
    #expect(try indexNames(of: StoredSmallFile.self) == ["name"])
    #expect(try indexNames(of: StoredTreePage.self) == ["name"])
  }

  @Test func `stored bytes have the documented format`() throws {
    let store = scratch.archive.store
    let content = StoredContent()
    let page = StoredTreePage()
    for object in [content, page] as [NamedBytes] {
      (object.name, object.copy) = (name, 2)
      object.compressed = CompressedBytes(method: .zstd, byteCount: 0x1234, bytes: [0xAA, 0xBB])
      try store.insert(object)
    }
    let small = StoredSmallFile()
    (small.name, small.copy, small.group, small.offset, small.byteCount) = (name, 1, 5, 0x0A0B, 4)
    try store.insert(small)
    try store.saveChanges()
    let head = encodedName + [2, CompressionMethod.zstd.rawValue, 0x34, 0x12, 0, 0, 2, 0, 0, 0, 0xAA, 0xBB]
    let padded = head + [UInt8](repeating: 0, count: 256 - head.count)
    #expect(try store.rawRecord(ofClassNamed: "Content", rowID: 1)?.content == padded)
    #expect(try store.rawRecord(ofClassNamed: "TreePage", rowID: 1)?.content == padded)
    #expect(
      try store.rawRecord(ofClassNamed: "SmallFile", rowID: 1)?.content
        == encodedName + [1, 5, 0, 0, 0, 0, 0, 0, 0, 0x0B, 0x0A, 0, 0, 4, 0, 0, 0])
    try scratch.reopen()
    let stored = try scratch.archive.content.object(StoredContent.self, 1)
    #expect(stored.name == name && stored.copy == 2 && stored.compressed.bytes == [0xAA, 0xBB])
    #expect(try scratch.archive.content.object(StoredSmallFile.self, 1).offset == 0x0A0B)
  }
}
