import Foundation
import TestSupport
import Testing
import Todana

/// A class that declares fields of all kinds.
private final class Sample: StoredObject {
  override class var storedName: String { "Sample" }
  override class var contentFields: [ContentField] {
    [
      ContentField("flag", .bool), ContentField("small", .int8), ContentField("large", .uint64),
      ContentField("signed", .varInt), ContentField("float", .float), ContentField("double", .double),
      ContentField("text", .string), ContentField("none", .optional(.string)), ContentField("bytes", .bytes),
      ContentField("date", .date), ContentField("id", .uuid), ContentField("numbers", .array(.optional(.uint16))),
      ContentField("self", .reference), ContentField("any", .anyReference), ContentField("list", .references),
    ]
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeBool(true)
    buffer.writeInt8(-2)
    buffer.writeUInt64(.max)
    buffer.writeVarInt(-65)
    buffer.writeFloat(0.1)
    buffer.writeDouble(-.infinity)
    buffer.writeString("Åse\u{1B}")
    buffer.writeOptionalString(nil)
    buffer.writeBytes([1, 255])
    buffer.writeDate(Date(timeIntervalSinceReferenceDate: 0))
    buffer.writeUUID(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
    buffer.writeArray([513, nil] as [UInt16?])
    buffer.writeVarUInt(0)
    buffer.writeAnyReference(self)
    buffer.writeVarUInt(1)
    buffer.writeVarUInt(300)
  }
}

/// The next version of `Sample`.
private final class NewSample: StoredObject {
  override class var storedName: String { "Sample" }
  override class var version: UInt8 { 2 }
  override class var contentFields: [ContentField] { [ContentField("text", .string)] }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString("new") }
}

/// A class whose declared fields differ from the content that it writes.
private final class Liar: StoredObject {
  override class var contentFields: [ContentField] { [ContentField("number", .uint8)] }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt16(1) }
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
    var store = try Store(.directory(path), classes: [Sample.self, Song.self], configuration: configuration)
    try store.insert(Sample())
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

  @Test func `encrypting, decrypting and salvaging a store keeps what its classes said`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, salvaged) = (directory.path("store"), directory.path("salvaged"))
    let secret = StoreSecret.key([UInt8](repeating: 1, count: 16))
    let locked = StoreConfiguration(encryption: .callback { secret })
    var store = try Store(.directory(path), classes: [Sample.self])
    try store.insert(Sample())
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

  @Test func `only what is new is written, and what a newer version says stands`() throws {
    let backend = try KyotoBackend(.inMemory)
    func openingCommits(_ types: [StoredObject.Type]) throws -> Int {
      let before = try backend.statistics().commitCount
      try Store(backend: backend, classes: types).close()
      return try backend.statistics().commitCount - before
    }
    #expect(try openingCommits([Song.self]) == 0)
    #expect(try openingCommits([Sample.self]) == 1)
    #expect(try openingCommits([Sample.self]) == 0)
    #expect(try openingCommits([NewSample.self]) == 1)
    #expect(try openingCommits([Sample.self]) == 0)
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

  @Test func `fields that are not what was written show nothing`() throws {
    let store = try Store(.inMemory, classes: [Liar.self])
    try store.insert(Liar())
    try store.saveChanges()
    let record = try #require(try store.rawRecord(ofClassNamed: "Liar", rowID: 1))
    #expect(try layout(in: store, of: "Liar")?.values(of: record) == nil)
    let long = ContentLayout(className: "Liar", version: 1, fields: [ContentField("list", .array(.bytes))])
    #expect(long.values(of: RawRecord(rowID: 1, version: 1, content: [255, 255, 255, 255, 15])) == nil)
  }

  @Test(arguments: ["uint32", "string?", "[uint16]", "[[bytes?]]?", "anyreference", "int??"])
  func `types are texts`(_ text: String) {
    #expect(ContentType(text)?.description == text)
  }

  @Test(arguments: ["", "uint24", "[uint8", "?", "[]", String(repeating: "[", count: 100_000), "Int8"])
  func `other texts are no types`(_ text: String) {
    #expect(ContentType(text) == nil)
    #expect(ContentType("int8" + String(repeating: "?", count: 100_000)) == nil)
  }

  private struct Shown: Decodable {
    struct Fields: Decodable {
      let flag: Bool
      let large: UInt64
      let double: String
      let text: String
      let none: String?
      let bytes: Data
      let numbers: [UInt16?]
    }
    let fields: Fields?
    let content: Data?
  }

  @Test func `the tool shows fields where it knows them`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    let store = try Store(.directory(path), classes: [Sample.self, Liar.self])
    try store.insert(Sample())
    try store.insert(Liar())
    try store.saveChanges()
    try store.close()
    let fields = try #require(try ToolRun("store", "get", "--json", path, "Sample", "1").document(Shown.self).fields)
    #expect(fields.flag && fields.large == .max && fields.double == "-inf" && fields.text == "Åse\u{1B}")
    #expect(fields.none == nil && fields.bytes == Data([1, 255]) && fields.numbers == [513, nil])
    #expect(try ToolRun("store", "list", "--json", path, "Sample").values(Shown.self).first?.fields?.flag == true)
    var run = try ToolRun("store", "get", path, "Sample", "1")
    #expect(run.lines.count == 16 && run.lines.allSatisfy { $0.count <= 80 })
    #expect(run.lines.contains("flag     true") && !run.text.contains("\u{1B}"))
    run = try ToolRun("store", "list", path, "Sample")
    #expect(run.lines.last?.contains("flag: true, small: -2") == true && run.lines.allSatisfy { $0.count <= 80 })
    #expect(
      try ToolRun("store", "get", "--bytes", path, "Sample", "1").lines.dropFirst().first?.hasPrefix("00000000") == true
    )
    #expect(try ToolRun("store", "get", "--json", path, "Liar", "1").document(Shown.self).fields == nil)
    #expect(try ToolRun("store", "get", path, "Liar", "1").lines.count == 2)
  }
}
