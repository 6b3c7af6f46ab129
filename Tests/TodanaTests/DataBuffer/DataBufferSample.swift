import FoundationEssentials
import Testing
import Todana

/// One example of the format document: a value, its bytes, and closures that write and read it.
struct DataBufferSample: Sendable, CustomTestStringConvertible {
  let name: String
  /// The bytes as they appear in `docs/formats/data-buffer.md`.
  let hexadecimal: String
  let write: @Sendable (inout DataBuffer) -> Void
  /// Reads the value and returns whether it equals the written one.
  let read: @Sendable (inout DataBuffer) throws -> Bool

  init(
    _ name: String, _ hexadecimal: String, write: @escaping @Sendable (inout DataBuffer) -> Void,
    read: @escaping @Sendable (inout DataBuffer) throws -> Bool
  ) {
    self.name = name
    self.hexadecimal = hexadecimal
    self.write = write
    self.read = read
  }

  var testDescription: String { name }

  var bytes: [UInt8] { hexadecimal.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

  static let all = numbers + texts + foundationValues + collections
}

enum Genre: UInt8 {
  case rock = 1
  case jazz = 2
}

struct Point: Codable, Equatable {
  var x: Int
  var y: Double
}

extension DataBufferSample {
  static let numbers: [DataBufferSample] = [
    .init("Int8 -2", "fe", write: { $0.writeInt8(-2) }, read: { try $0.readInt8() == -2 }),
    .init("Int16 -2", "fe ff", write: { $0.writeInt16(-2) }, read: { try $0.readInt16() == -2 }),
    .init("Int32 -2", "fe ff ff ff", write: { $0.writeInt32(-2) }, read: { try $0.readInt32() == -2 }),
    .init("Int64 -2", "fe ff ff ff ff ff ff ff", write: { $0.writeInt64(-2) }, read: { try $0.readInt64() == -2 }),
    .init("UInt8 200", "c8", write: { $0.writeUInt8(200) }, read: { try $0.readUInt8() == 200 }),
    .init("UInt16 513", "01 02", write: { $0.writeUInt16(513) }, read: { try $0.readUInt16() == 513 }),
    .init("UInt32 327", "47 01 00 00", write: { $0.writeUInt32(327) }, read: { try $0.readUInt32() == 327 }),
    .init(
      "UInt64 0x0102030405060708", "08 07 06 05 04 03 02 01", write: { $0.writeUInt64(0x0102_0304_0506_0708) },
      read: { try $0.readUInt64() == 0x0102_0304_0506_0708 }),
    .init("Int -3", "fd ff ff ff ff ff ff ff", write: { $0.writeInt(-3) }, read: { try $0.readInt() == -3 }),
    .init("UInt 3", "03 00 00 00 00 00 00 00", write: { $0.writeUInt(3) }, read: { try $0.readUInt() == 3 }),
    .init("Float 1.5", "00 00 c0 3f", write: { $0.writeFloat(1.5) }, read: { try $0.readFloat() == 1.5 }),
    .init(
      "Double 1.5", "00 00 00 00 00 00 f8 3f", write: { $0.writeDouble(1.5) }, read: { try $0.readDouble() == 1.5 }),
    .init("Bool true", "01", write: { $0.writeBool(true) }, read: { try $0.readBool() }),
    .init("Bool false", "00", write: { $0.writeBool(false) }, read: { try !$0.readBool() }),
    .init("unsigned varint 127", "7f", write: { $0.writeVarUInt(127) }, read: { try $0.readVarUInt() == 127 }),
    .init("unsigned varint 128", "80 01", write: { $0.writeVarUInt(128) }, read: { try $0.readVarUInt() == 128 }),
    .init("unsigned varint 300", "ac 02", write: { $0.writeVarUInt(300) }, read: { try $0.readVarUInt() == 300 }),
    .init(
      "unsigned varint 2^64 - 1", "ff ff ff ff ff ff ff ff ff 01", write: { $0.writeVarUInt(.max) },
      read: { try $0.readVarUInt() == .max }),
    .init("signed varint -1", "01", write: { $0.writeVarInt(-1) }, read: { try $0.readVarInt() == -1 }),
    .init("signed varint 1", "02", write: { $0.writeVarInt(1) }, read: { try $0.readVarInt() == 1 }),
    .init("signed varint -65", "81 01", write: { $0.writeVarInt(-65) }, read: { try $0.readVarInt() == -65 }),
    .init(
      "signed varint -2^63", "ff ff ff ff ff ff ff ff ff 01", write: { $0.writeVarInt(.min) },
      read: { try $0.readVarInt() == .min }),
  ]

  static let texts: [DataBufferSample] = [
    .init("String, empty", "00", write: { $0.writeString("") }, read: { try $0.readString() == "" }),
    .init("String Åse", "04 c3 85 73 65", write: { $0.writeString("Åse") }, read: { try $0.readString() == "Åse" }),
    .init(
      "optional String nil", "00", write: { $0.writeOptionalString(nil) }, read: { try $0.readOptionalString() == nil }
    ),
    .init(
      "optional String, empty", "01 00", write: { $0.writeOptionalString("") },
      read: { try $0.readOptionalString() == "" }),
    .init(
      "optional String A", "01 01 41", write: { $0.writeOptionalString("A") },
      read: { try $0.readOptionalString() == "A" }),
    .init(
      "bytes 1, 2, 255", "03 01 02 ff", write: { $0.writeBytes([1, 2, 255]) },
      read: { try $0.readBytes() == [1, 2, 255] }),
    .init(
      "Data 1, 2, 255", "03 01 02 ff", write: { $0.writeData(Data([1, 2, 255])) },
      read: { try $0.readData() == Data([1, 2, 255]) }),
    .init(
      "raw bytes 1, 2", "01 02", write: { $0.writeRawBytes([1, 2]) }, read: { try $0.readRawBytes(count: 2) == [1, 2] }),
  ]

  static let foundationValues: [DataBufferSample] = [
    .init(
      "Date 1 s after the start of 2001", "00 00 00 00 00 00 f0 3f",
      write: { $0.writeDate(Date(timeIntervalSinceReferenceDate: 1)) },
      read: { try $0.readDate() == Date(timeIntervalSinceReferenceDate: 1) }),
    .init(
      "UUID 00112233-4455-6677-8899-AABBCCDDEEFF", "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff",
      write: { $0.writeUUID(sampleUUID) },
      read: { try $0.readUUID() == sampleUUID }),
    .init(
      "URL http://a.example/", "11 68 74 74 70 3a 2f 2f 61 2e 65 78 61 6d 70 6c 65 2f 00",
      write: { $0.writeURL(sampleURL("http://a.example/")) },
      read: { try $0.readURL() == sampleURL("http://a.example/") }),
    .init(
      "URL b relative to http://a.example/",
      "01 62 01 11 68 74 74 70 3a 2f 2f 61 2e 65 78 61 6d 70 6c 65 2f",
      write: { $0.writeURL(sampleURL("b", "http://a.example/")) },
      read: { try $0.readURL() == sampleURL("b", "http://a.example/") }),
    .init(
      "Decimal -12.5", "05 2d 31 32 2e 35",
      write: { $0.writeDecimal(Decimal(sign: .minus, exponent: -1, significand: 125)) },
      read: { try $0.readDecimal() == Decimal(sign: .minus, exponent: -1, significand: 125) }),
    .init(
      "Decimal NaN", "03 4e 61 4e", write: { $0.writeDecimal(.nan) }, read: { try $0.readDecimal().isNaN }),
    .init(
      "raw value 2 of a UInt8 enumeration", "02", write: { $0.writeRawValue(Genre.jazz) },
      read: { try $0.readRawValue(Genre.self) == .jazz }),
    .init(
      "Codable x = 1, y = -2.5", "10 0a 0e 01 78 41 01 79 04 00 00 00 00 00 00 04 c0",
      write: { $0.writeCodable(Point(x: 1, y: -2.5)) }, read: { try $0.readCodable(Point.self) == Point(x: 1, y: -2.5) }
    ),
  ]

  static let collections: [DataBufferSample] = [
    .init(
      "optional UInt16 nil", "00", write: { $0.writeOptional(nil as UInt16?) },
      read: { try $0.readOptional(UInt16.self) == nil }),
    .init(
      "optional UInt16 513", "01 01 02", write: { $0.writeOptional(513 as UInt16) },
      read: { try $0.readOptional(UInt16.self) == 513 }),
    .init(
      "array of UInt16 1, 513", "02 01 00 01 02", write: { $0.writeArray([1, 513] as [UInt16]) },
      read: { try $0.readArray(UInt16.self) == [1, 513] }),
    .init(
      "array of optional String nil, A", "02 00 01 01 41", write: { $0.writeArray([nil, "A"] as [String?]) },
      read: { try $0.readArray(String?.self) == [nil, "A"] }),
    .init(
      "set of String b, a", "02 01 61 01 62", write: { $0.writeSet(["b", "a"] as Set) },
      read: { try $0.readSet(String.self) == ["a", "b"] }),
    .init(
      "dictionary of String to UInt8 b: 1, a: 2", "02 01 61 02 01 62 01",
      write: { $0.writeDictionary(["b": 1, "a": 2] as [String: UInt8]) },
      read: { try $0.readDictionary(String.self, UInt8.self) == ["a": 2, "b": 1] }),
  ]
}

let sampleUUID = UUID(
  uuid: (0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF))

/// Returns the URL, or one that meets no expectation if the string is invalid.
func sampleURL(_ string: String, _ base: String? = nil) -> URL {
  URL(string: string, relativeTo: base.flatMap { URL(string: $0) }) ?? URL(filePath: "/not-a-url")
}
