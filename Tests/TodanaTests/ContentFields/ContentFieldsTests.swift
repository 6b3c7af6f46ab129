import Foundation
import TestSupport
import Testing
import Todana

/// The next version of `FieldSample`.
private final class NewSample: StoredObject {
  override class var storedName: String { "Sample" }
  override class var version: UInt8 { 2 }
  override class var contentFields: [ContentField] { [ContentField("text", .string)] }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString("new") }
}

@Suite struct ContentFieldsTests {
  private static func values(ofClass number: KeyspaceID) -> [ContentValue] {
    [
      .bool(true), .integer(-2), .unsigned(.max), .integer(-65), .number(0.1), .number(-.infinity), .text("Åse\u{1B}"),
      .null, .bytes([1, 255]), .text("2001-01-01T00:00:00Z"), .text("00010203-0405-0607-0809-0A0B0C0D0E0F"),
      .list([.unsigned(513), .null]), .null, .text("\(number.rawValue)-1"), .list([.unsigned(300)]),
    ]
  }

  private func layout(in store: Store, of name: String = "Sample") throws -> ContentLayout? {
    try store.contentLayouts.first { $0.className == name }
  }

  @Test(arguments: [StoreEncryption.none, .key([UInt8](repeating: 1, count: 16))])
  func `records are read by their fields, without the class`(_ encryption: StoreEncryption) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, copy) = (directory.path("store"), directory.path("copy"))
    let configuration = StoreConfiguration(encryption: encryption)
    var store = try Store(.directory(path), classes: [FieldSample.self, Song.self], configuration: configuration)
    try store.insert(FieldSample())
    try store.saveChanges()
    try store.backUp(to: copy, encryption: encryption)
    try store.close()
    for path in [path, copy] {
      store = try Store(.directory(path), classes: [], configuration: configuration)
      #expect(try store.contentLayouts.map(\.className) == ["Sample"])
      let record = try #require(try store.rawRecord(ofClassNamed: "Sample", rowID: 1))
      let number = try #require(try store.catalog[named: "Sample"]?.id)
      #expect(try layout(in: store)?.values(of: record) == Self.values(ofClass: number))
      #expect(try store.verify().isSound)
      #expect(try store.namedBufferNames().isEmpty)
      #expect(try store.catalog.map(\.name) == ["Sample"])
      try store.close()
    }
  }

  @Test func `encrypting, decrypting and salvaging a store keeps the layouts of its classes`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, salvaged) = (directory.path("store"), directory.path("salvaged"))
    let secret = StoreSecret.key([UInt8](repeating: 1, count: 16))
    let locked = StoreConfiguration(encryption: .callback { secret })
    var store = try Store(.directory(path), classes: [FieldSample.self])
    try store.insert(FieldSample())
    try store.saveChanges()
    let layout = try #require(try layout(in: store))
    #expect(try store.encrypt(with: secret))
    #expect(try store.contentLayouts == [layout])
    try store.close()
    store = try Store(.directory(path), classes: [], configuration: locked)
    #expect(try store.contentLayouts == [layout])
    try store.keys.rotate(keeping: [secret])
    try store.close()
    #expect(try Store.salvage(from: path, to: salvaged, encryption: locked.encryption).isComplete)
    for (path, configuration) in [(salvaged, locked), (path, locked)] {
      store = try Store(.directory(path), classes: [], configuration: configuration)
      #expect(try store.contentLayouts == [layout])
      #expect(try store.decrypt())
      #expect(try store.contentLayouts == [layout])
      try store.close()
    }
  }

  @Test func `only new layouts are written, and the layout of a newer version is kept`() throws {
    let backend = try KyotoBackend(.inMemory)
    func openingCommits(_ types: [StoredObject.Type]) throws -> Int {
      let before = try backend.statistics().commitCount
      try Store(backend: backend, classes: types).close()
      return try backend.statistics().commitCount - before
    }
    #expect(try openingCommits([Song.self]) == 0)
    #expect(try openingCommits([FieldSample.self]) == 1)
    #expect(try openingCommits([FieldSample.self]) == 0)
    #expect(try openingCommits([NewSample.self]) == 1)
    #expect(try openingCommits([FieldSample.self]) == 0)
    let store = try Store(backend: backend, classes: [NewSample.self])
    #expect(try layout(in: store)?.version == 2)
    try store.insert(NewSample())
    try store.saveChanges()
    let record = try #require(try store.rawRecord(ofClassNamed: "Sample", rowID: 1))
    #expect(try layout(in: store)?.values(of: record) == [.text("new")])
    let older = RawRecord(rowID: 1, version: 1, content: record.content)
    #expect(try layout(in: store)?.values(of: older) == nil)
    try backend.close()
  }

  @Test func `records that differ from their layout show no values`() throws {
    let store = try Store(.inMemory, classes: [WrongFieldSample.self])
    try store.insert(WrongFieldSample())
    try store.saveChanges()
    let record = try #require(try store.rawRecord(ofClassNamed: "WrongFieldSample", rowID: 1))
    #expect(try layout(in: store, of: "WrongFieldSample")?.values(of: record) == nil)
    let long = ContentLayout(className: "WrongFieldSample", version: 1, fields: [ContentField("list", .array(.bytes))])
    #expect(long.values(of: RawRecord(rowID: 1, version: 1, content: [255, 255, 255, 255, 15])) == nil)
  }

  @Test(arguments: ["uint32", "string?", "[uint16]", "[[bytes?]]?", "anyreference", "int??"])
  func `content types are parsed from their texts`(_ text: String) {
    #expect(ContentType(text)?.description == text)
  }

  @Test(arguments: ["", "uint24", "[uint8", "?", "[]", String(repeating: "[", count: 100_000), "Int8"])
  func `invalid texts are not content types`(_ text: String) {
    #expect(ContentType(text) == nil)
    #expect(ContentType("int8" + String(repeating: "?", count: 100_000)) == nil)
  }
}
