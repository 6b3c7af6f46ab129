import Foundation
import LegacyStores
import Testing
import TodanaDocuments

@Suite struct PropertyListTests {
  private func error(_ bytes: [UInt8]) -> LegacyError.Code? {
    do {
      _ = try PropertyListValue.value(of: bytes)
      return nil
    } catch {
      return (error as? LegacyError)?.code
    }
  }

  @Test func keyedArchivesOfFoundationBecomeValues() throws {
    let date = Date(timeIntervalSinceReferenceDate: 123_456.5)
    let uuid = UUID()
    let content: NSDictionary = [
      "name": "Döe", "emoji": "🎵", "age": NSNumber(value: 41), "height": NSNumber(value: 1.5),
      "active": NSNumber(value: true), "born": date as NSDate, "photo": Data([0, 1, 255]) as NSData, "none": NSNull(),
      "home": NSURL(string: "https://example.org/a?b=c") as Any, "id": uuid as NSUUID,
      "phones": ["555-1234", ["Work": "555-9876"]] as NSArray, "empty": NSDictionary(),
      "mutable": NSMutableArray(array: ["x"]), "big": NSNumber(value: Int64.max), "negative": NSNumber(value: -3),
    ]
    let value = try PropertyListValue.value(of: NanoStoreSample.archive(content))
    #expect(value["name"]?.string == "Döe")
    #expect(value["emoji"]?.string == "🎵")
    #expect(value["age"]?.int == 41)
    #expect(value["height"]?.double == 1.5)
    #expect(value["active"]?.bool == true)
    #expect(value["born"]?.date == date)
    #expect(value["photo"]?.bytes == Data([0, 1, 255]))
    #expect(value["none"]?.isNull == true)
    #expect(value["home"]?.string == "https://example.org/a?b=c")
    #expect(value["id"]?.uuid == uuid)
    #expect(value["phones[1].Work"]?.string == "555-9876")
    #expect(value["empty"]?.fields?.count == 0)
    #expect(value["mutable"]?.array?.count == 1)
    #expect(value["big"]?.int == Int.max)
    #expect(value["negative"]?.int == -3)
    #expect(value.fields?.count == content.count)
  }

  @Test func theFormsThatAppleWritesBecomeValues() throws {
    // Mutable strings and UUIDs have objects of their own, and older archives number the entries of dictionaries.
    let bytes = PropertyListBytes.archive([
      .dictionary([
        ("$class", .reference(2)), ("NS.key.0", .reference(3)), ("NS.object.0", .reference(4)),
        ("NS.key.1", .reference(7)), ("NS.object.1", .reference(8)),
      ]),
      PropertyListBytes.type("NSDictionary"), .string("title"),
      .dictionary([("$class", .reference(5)), ("NS.string", .string("Blue"))]),
      PropertyListBytes.type("NSMutableString"),
      PropertyListBytes.type("NSUUID"), .string("id"),
      .dictionary([("$class", .reference(6)), ("NS.uuidbytes", .data(Array(0..<16)))]),
    ])
    let value = try PropertyListValue.value(of: bytes)
    #expect(value["title"]?.string == "Blue")
    #expect(value["id"]?.uuid?.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func propertyListsBecomeValues(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let value: DocumentValue = [
      "text": "é", "number": 7, "real": 0.25, "flag": false, "date": .init(Date(timeIntervalSinceReferenceDate: 60)),
      "list": [1, [], "x"], "bytes": .init(Data([1, 2])), "dictionary": ["a": ["b": 1]],
    ]
    #expect(try PropertyListValue.value(of: Array(value.propertyList(format))) == value)
  }

  @Test func objectsOfOtherClassesAreRefused() {
    let bytes = PropertyListBytes.archive([
      .dictionary([("$class", .reference(2)), ("secret", .reference(0))]), PropertyListBytes.type("MyAccount"),
    ])
    #expect(error(bytes) == .unsupportedClass)
    // The class of the outermost name counts, not its superclasses.
    let subclass = PropertyListBytes.archive([
      .dictionary([("$class", .reference(2)), ("NS.keys", .array([])), ("NS.objects", .array([]))]),
      .dictionary([
        ("$classname", .string("Sneaky")), ("$classes", .array([.string("Sneaky"), .string("NSDictionary")])),
      ]),
    ])
    #expect(error(subclass) == .unsupportedClass)
  }

  @Test func cyclesAreRefused() {
    let archive = PropertyListBytes.archive([
      .dictionary([("$class", .reference(2)), ("NS.objects", .array([.reference(1)]))]),
      PropertyListBytes.type("NSArray"),
    ])
    #expect(error(archive) == .cyclic)
    // An array that contains itself, without an archive.
    #expect(error(PropertyListBytes.bytes(objects: [[0xA1, 0, 0]], top: 0)) == .cyclic)
  }

  @Test func deepNestingIsRefused() {
    var node = PropertyListBytes.Node.string("x")
    for _ in 0..<5000 { node = .array([node]) }
    #expect(error(PropertyListBytes.bytes(node)) == .tooDeep)
    let depth = 200_000
    let xml = "<?xml version=\"1.0\"?><plist>" + String(repeating: "<array>", count: depth)
    #expect(error(Array(xml.utf8)) == .tooDeep)
    let hidden = "<?xml version=\"1.0\"?><plist>" + String(repeating: "<array><!--</array>-->", count: depth)
    #expect(error(Array(hidden.utf8)) == .tooDeep)
    #expect(error(Array(String(repeating: "(", count: depth).utf8)) == .damaged)
  }

  @Test func fewBytesThatStandForManyValuesAreRefused() {
    // Each array has the next one ten times: ten to the power of 30 values.
    var objects: [[UInt8]] = []
    for number in 1...30 {
      objects.append([0xAA] + (0..<10).flatMap { _ in PropertyListBytes.two(number) })
    }
    objects.append([0x10, 1])
    #expect(error(PropertyListBytes.bytes(objects: objects, top: 0)) == .tooLarge)
  }

  @Test func invalidTextsAreRefused() {
    #expect(error(PropertyListBytes.bytes(objects: [[0x61, 0xD8, 0x00]], top: 0)) == .invalidText)
    #expect(error(PropertyListBytes.bytes(objects: [[0x51, 0xFF]], top: 0)) == .invalidText)
    #expect(error(Array("<?xml version=\"1.0\"?><plist><string>".utf8) + [0xFF]) == .invalidText)
  }

  @Test func everyTruncationAndEveryChangedByteGivesAnErrorOrAValue() throws {
    let bytes = try NanoStoreSample.archive(["name": "Doe", "list": [1, 2.5, "x"], "date": Date() as NSDate])
    for count in 0..<bytes.count { _ = try? PropertyListValue.value(of: Array(bytes.prefix(count))) }
    for position in bytes.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] ^= change
        _ = try? PropertyListValue.value(of: changed)
      }
    }
    #expect(error([]) == .damaged)
  }
}
