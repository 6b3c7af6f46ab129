import Foundation
import TestSupport
import Testing
import Todana

private enum Mood: String, OrderedValue { case calm, wild }

private struct Studio: Codable, Equatable {
  var city = "Ōsaka"
  var floors = [1, 2]
  var height: Double?
}

/// A class with a property of every type of content.
private final class Everything: StoredObject {
  var bool = true
  var small: Int8 = -1
  var count = 7
  var variable = 300
  var float: Float = 0.5
  var text = "t"
  var optional: String?
  var data = Data([1, 2])
  var digest: [UInt8] = [1, 2, 3, 4]
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var url = URL(filePath: "/")
  var decimal = Decimal(125) / 10
  var mood = Mood.wild
  var place = Studio()
  var tags: Set<String> = ["a"]
  var numbers = [1: "one"]
  var friend: Everything?
  var friends: [Everything] = []
  var anyone: StoredObject?
  var everyone: [StoredObject] = []
  var key: ObjectID<Everything>?

  override class var contentFields: [ContentField] {
    [
      ContentField("bool", \Everything.bool), ContentField("small", \Everything.small),
      ContentField("count", \Everything.count), ContentField("variable", .varInt, \Everything.variable),
      ContentField("float", \Everything.float), ContentField("text", \Everything.text),
      ContentField("optional", \Everything.optional), ContentField("data", \Everything.data),
      ContentField("digest", .rawBytes(4)), ContentField("date", \Everything.date),
      ContentField("uuid", \Everything.uuid), ContentField("url", \Everything.url),
      ContentField("decimal", \Everything.decimal), ContentField("mood", .string, \Everything.mood),
      ContentField("place", .codable), ContentField("tags", \Everything.tags),
      ContentField("numbers", .dictionary(.int, .string)), ContentField("friend", \Everything.friend),
      ContentField("friends", \Everything.friends), ContentField("anyone", .anyReference, \Everything.anyone),
      ContentField("everyone", .anyReferences), ContentField("key", \Everything.key),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    bool = try buffer.readBool()
    small = try buffer.readInt8()
    count = try buffer.readInt()
    variable = Int(try buffer.readVarInt())
    float = try buffer.readFloat()
    text = try buffer.readString()
    optional = try buffer.readOptionalString()
    data = try buffer.readData()
    digest = try buffer.readRawBytes(count: 4)
    date = try buffer.readDate()
    uuid = try buffer.readUUID()
    url = try buffer.readURL()
    decimal = try buffer.readDecimal()
    mood = try buffer.readRawValue()
    place = try buffer.readCodable()
    tags = try buffer.readSet()
    numbers = try buffer.readDictionary()
    friend = try buffer.readReference()
    friends = try buffer.readReferences()
    anyone = try buffer.readAnyReference()
    everyone = try buffer.readAnyReferences()
    key = try buffer.readOptionalObjectID()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeBool(bool)
    buffer.writeInt8(small)
    buffer.writeInt(count)
    buffer.writeVarInt(Int64(variable))
    buffer.writeFloat(float)
    buffer.writeString(text)
    buffer.writeOptionalString(optional)
    buffer.writeData(data)
    buffer.writeRawBytes(digest)
    buffer.writeDate(date)
    buffer.writeUUID(uuid)
    buffer.writeURL(url)
    buffer.writeDecimal(decimal)
    buffer.writeRawValue(mood)
    buffer.writeCodable(place)
    buffer.writeSet(tags)
    buffer.writeDictionary(numbers)
    buffer.writeReference(friend)
    buffer.writeReferences(friends)
    buffer.writeAnyReference(anyone)
    buffer.writeAnyReferences(everyone)
    buffer.writeOptionalObjectID(key)
  }
}

@Suite struct ContentTypeTests {
  @Test func `every type of content is read by tools, and named in query texts where it has an order`() throws {
    let store = try Store(.inMemory, classes: [Everything.self])
    let object = Everything()
    object.url = try #require(URL(string: "https://example.org/a"))
    let id = try store.insert(object)
    object.friend = object
    object.friends = [object]
    object.anyone = object
    object.everyone = [object]
    object.key = id
    try store.saveChanges()
    let layout = try #require(try store.contentLayouts.first)
    let record = try #require(try store.rawRecord(ofClassNamed: "Everything", rowID: id.rowID))
    let values = try #require(layout.values(of: record))
    let place = ContentValue.dictionary([
      .init(key: .text("city"), value: .text("Ōsaka")),
      .init(key: .text("floors"), value: .list([.integer(1), .integer(2)])),
    ])
    let expected: [ContentValue] = [
      .bool(true), .integer(-1), .integer(7), .integer(300), .number(0.5), .text("t"), .null, .bytes([1, 2]),
      .bytes([1, 2, 3, 4]), .text("2001-01-01T00:00:00Z"), .text("00010203-0405-0607-0809-0A0B0C0D0E0F"),
      .text("https://example.org/a"), .text("12.5"), .text("wild"), place, .list([.text("a")]),
      .dictionary([.init(key: .integer(1), value: .text("one"))]), .unsigned(id.rowID), .list([.unsigned(id.rowID)]),
      .text(id.description), .list([.text(id.description)]), .text(id.description),
    ]
    #expect(values == expected)
    let json = String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
    #expect(json.contains(#"{"1":"one"}"#))
    let texts = ["count = 7 AND variable > 299", "mood = 'wild'", "tags CONTAINS 'a'", "decimal = 12.5"]
    for text in texts + ["url = 'https://example.org/a'"] {
      #expect(try store.count(Everything.where(text)) == 1, "\(text)")
    }
    #expect(try store.count(Everything.where("friend = ? AND friends CONTAINS ? AND key = ?", id, id, id)) == 1)
    #expect(try store.count(Everything.where("anyone = ?", id)) == 1)
  }

  static let types: [ContentType] = [
    .url, .decimal, .codable, .anyReferences, .objectID, .rawBytes(16), .dictionary(.string, .array(.optional(.int))),
    .dictionary(.array(.dictionary(.int, .int)), .rawBytes(0)), .optional(.dictionary(.uuid, .date)),
  ]

  @Test(arguments: types)
  func `the text of a type is parsed`(_ type: ContentType) {
    #expect(ContentType(type.description) == type)
  }

  @Test(arguments: [
    "rawbytes(", "rawbytes(-1)", "rawbytes(x)", "[string:int]", "[string: ]", "[: int]", "[a: b: c]", "[",
  ])
  func `other texts are no types`(_ text: String) { #expect(ContentType(text) == nil) }
}
