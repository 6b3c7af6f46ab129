import Foundation
import Logging
import TestSupport
import Testing
import Todana

private final class Sound: StoredObject {
  var title = "t"
  var seconds: UInt32 = 3
  override class var contentFields: [ContentField] {
    [ContentField("title", \Sound.title), ContentField("seconds", \Sound.seconds)]
  }
  override class var indexes: [Index] { [Index(\Sound.seconds)] }
  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

/// Reads fewer bytes than it writes.
private final class Short: StoredObject {
  var title = "t"
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeInt(1)
  }
}

/// Does not set a property that it writes.
private final class Forgetful: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  override class var contentFields: [ContentField] {
    [ContentField("title", .string), ContentField("seconds", .uint32)]
  }
  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    _ = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

/// Lists another type than it writes.
private final class WrongLayout: StoredObject {
  var title = ""
  override class var contentFields: [ContentField] { [ContentField("title", .uint64)] }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

/// Has an index over a property that is not saved.
private final class TransientIndex: StoredObject {
  var title = ""
  var plays = 0
  override class var indexes: [Index] { [Index(\TransientIndex.plays)] }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

/// Has a field over a property that is not saved.
private final class TransientField: StoredObject {
  var title = ""
  var plays = 0
  override class var fields: [Field] { [Field("plays", \TransientField.plays)] }
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

@Suite struct DeclarationCheckTests {
  /// Returns the errors that saving an object logs.
  private func errors<Object: StoredObject>(saving object: Object) throws -> [String] {
    let log = Log()
    let logger = Logger(label: "test") { _ in log }
    let store = try Store(
      .inMemory, classes: [Object.self],
      configuration: StoreConfiguration(checksDeclarations: true, logger: logger))
    try store.insert(object)
    try store.saveChanges()
    try store.close()
    return log.lines.filter { $0.hasPrefix("error ") }
  }

  @Test func `declarations that agree are not reported`() throws {
    #expect(try errors(saving: Sound()).isEmpty)
  }

  @Test func `a readContent that does not read everything is reported, once`() throws {
    let messages = try errors(saving: Short())
    #expect(messages.count == 1)
    #expect(messages.first?.contains("class Short do not agree. readContent cannot read") == true)
    #expect(try errors(saving: Short()).isEmpty)
  }

  @Test func `a property that is written and not read is reported with its field`() throws {
    let object = Forgetful()
    object.title = "x"
    object.seconds = 7
    #expect(try errors(saving: object).first?.contains("from byte 2 (seconds) on") == true)
  }

  @Test func `lists that do not match the content are reported`() throws {
    #expect(try errors(saving: WrongLayout()).first?.contains("contentFields do not describe") == true)
    let indexed = TransientIndex()
    indexed.plays = 3
    #expect(try errors(saving: indexed).first?.contains("The index \"plays\" is over a property") == true)
    let named = TransientField()
    named.plays = 3
    #expect(try errors(saving: named).first?.contains("The field \"plays\" is a property") == true)
  }

  @Test func `one list serves query texts and tools`() throws {
    let store = try Store(.inMemory, classes: [Sound.self])
    for number in 0..<10 {
      let sound = Sound()
      sound.title = "s\(number)"
      sound.seconds = UInt32(number)
      try store.insert(sound)
    }
    try store.saveChanges()
    #expect(try store.fetch(Sound.where("seconds > ? AND title ENDSWITH '9'", 3)).map(\.title) == ["s9"])
    let layout = try #require(try store.contentLayouts.first)
    #expect(layout.fields == [ContentField("title", .string), ContentField("seconds", .uint32)])
    let record = try #require(try store.rawRecord(ofClassNamed: "Sound", rowID: 4))
    #expect(layout.values(of: record) == [.text("s3"), .unsigned(3)])
  }
}
