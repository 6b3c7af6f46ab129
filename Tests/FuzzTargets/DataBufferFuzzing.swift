import Foundation
import Todana

/// The fuzzing of `DataBuffer`.
///
/// An input is the number of reads, a byte for each that selects its kind, and the bytes to read.
enum DataBufferFuzzing {
  static func run(_ bytes: [UInt8]) {
    let readCount = Int(bytes.first ?? 0) % 32
    let choices = bytes.dropFirst().prefix(readCount)
    let content = Array(bytes.dropFirst(1 + readCount))
    let objects = AnyObjects()
    // Makes a buffer in both ways; the second one borrows memory that ends with the content.
    var owned = DataBuffer(reading: content)
    read(choices, of: content, from: &owned)
    unsafe content.withUnsafeBytes { content in
      var borrowed = unsafe DataBuffer(borrowing: content, version: 2, resolver: objects)
      unsafe read(choices, of: Array(content), from: &borrowed)
    }
  }

  /// Inputs that perform each kind of read alone, and many kinds in a row, on bytes from the corresponding writers.
  static var seeds: [[UInt8]] {
    var seeds: [[UInt8]] = []
    for choice in DataBufferRead.all.indices {
      var buffer = DataBuffer()
      DataBufferRead.all[choice].writeSample(&buffer)
      seeds.append([1, UInt8(choice)] + buffer.bytes)
    }
    for choices in stride(from: 0, to: DataBufferRead.all.count, by: 16) {
      let some = Array(choices..<min(choices + 16, DataBufferRead.all.count))
      var buffer = DataBuffer()
      for choice in some { DataBufferRead.all[choice].writeSample(&buffer) }
      seeds.append([UInt8(some.count)] + some.map(UInt8.init) + buffer.bytes)
    }
    return seeds
  }

  private static func read(_ choices: some Sequence<UInt8>, of content: [UInt8], from buffer: inout DataBuffer) {
    for choice in choices {
      let read = DataBufferRead.all[Int(choice) % DataBufferRead.all.count]
      let start = buffer.position
      do {
        let rewritten = try read.body(&buffer)
        let end = buffer.position
        guard start <= end, end <= content.count else { fatalError("\(read.name) leaves the cursor outside") }
        guard rewritten == nil || rewritten == Array(content[start..<end])
        else { fatalError("\(read.name) reads a value that it would not write") }
      } catch {
        let end = buffer.position
        guard let error = error as? DataBufferError else { fatalError("\(read.name) throws \(error)") }
        guard (start...content.count).contains(end) else { fatalError("\(read.name) leaves the cursor outside") }
        guard !read.isSingle || end == start else { fatalError("\(read.name) moves the cursor, and throws") }
        guard (0...content.count).contains(error.byteOffset ?? -1) else { fatalError("\(read.name): \(error)") }
      }
    }
  }
}

/// One kind of read.
struct DataBufferRead: Sendable {
  var name: String
  /// Whether the cursor stays in place when a value is refused.
  var isSingle: Bool
  var writeSample: @Sendable (inout DataBuffer) -> Void
  /// Reads a value.
  ///
  /// Returns the bytes that the value's writer writes, or nil if these may differ from the bytes read.
  var body: @Sendable (inout DataBuffer) throws -> [UInt8]?

  /// Returns a read of a value that has only one encoding.
  private static func value<Value>(
    _ name: String, _ sample: @escaping @Sendable @autoclosure () -> Value,
    _ read: @escaping @Sendable (inout DataBuffer) throws -> Value,
    _ write: @escaping @Sendable (inout DataBuffer, Value) -> Void
  ) -> DataBufferRead {
    DataBufferRead(name: name, isSingle: true, writeSample: { write(&$0, sample()) }) { buffer in
      let value = try read(&buffer)
      var writer = DataBuffer()
      write(&writer, value)
      guard writer.firstError == nil else { fatalError("\(name) reads a value that it cannot write") }
      return writer.bytes
    }
  }

  /// Returns a read of a collection, or of a value that may be written with other bytes than it was read from.
  private static func other(
    _ name: String, isSingle: Bool = false, _ writeSample: @escaping @Sendable (inout DataBuffer) -> Void,
    _ read: @escaping @Sendable (inout DataBuffer) throws -> Void
  ) -> DataBufferRead {
    DataBufferRead(name: name, isSingle: isSingle, writeSample: writeSample) { buffer in
      try read(&buffer)
      return nil
    }
  }

  static let all: [DataBufferRead] = numbers + values + collections + references + cursor

  private static let numbers: [DataBufferRead] = [
    value("readInt8", -1, { try $0.readInt8() }, { $0.writeInt8($1) }),
    value("readInt16", -1, { try $0.readInt16() }, { $0.writeInt16($1) }),
    value("readInt32", -1, { try $0.readInt32() }, { $0.writeInt32($1) }),
    value("readInt64", -1, { try $0.readInt64() }, { $0.writeInt64($1) }),
    value("readUInt8", 200, { try $0.readUInt8() }, { $0.writeUInt8($1) }),
    value("readUInt16", 60_000, { try $0.readUInt16() }, { $0.writeUInt16($1) }),
    value("readUInt32", 1 << 31, { try $0.readUInt32() }, { $0.writeUInt32($1) }),
    value("readUInt64", 1 << 63, { try $0.readUInt64() }, { $0.writeUInt64($1) }),
    value("readInt", -5, { try $0.readInt() }, { $0.writeInt($1) }),
    value("readUInt", 5, { try $0.readUInt() }, { $0.writeUInt($1) }),
    value("readVarUInt", 300, { try $0.readVarUInt() }, { $0.writeVarUInt($1) }),
    value("readVarInt", -300, { try $0.readVarInt() }, { $0.writeVarInt($1) }),
    value("readBool", true, { try $0.readBool() }, { $0.writeBool($1) }),
    // A NaN may be read as another NaN.
    other("readFloat", isSingle: true, { $0.writeFloat(1.5) }, { _ = try $0.readFloat() }),
    other("readDouble", isSingle: true, { $0.writeDouble(1.5) }, { _ = try $0.readDouble() }),
  ]

  private static let values: [DataBufferRead] = [
    other("readString", isSingle: true, { $0.writeString("Bä") }, { _ = try $0.readString() }),
    value("readString", "Ωmega, and more than fifteen bytes", { try $0.readString() }, { $0.writeString($1) }),
    value("readOptionalString", "x", { try $0.readOptionalString() }, { $0.writeOptionalString($1) }),
    value("readBytes", [1, 2, 3], { try $0.readBytes() }, { $0.writeBytes($1) }),
    value("readData", Data([1, 2, 3]), { try $0.readData() }, { $0.writeData($1) }),
    value(
      "readUUID", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), { try $0.readUUID() },
      { $0.writeUUID($1) }),
    other("readDate", isSingle: true, { $0.writeDate(Date(timeIntervalSince1970: 1e9)) }, { _ = try $0.readDate() }),
    other(
      "readURL", isSingle: true, { $0.writeURL(URL(filePath: "/a/b")) }, { _ = try $0.readURL() }),
    value(
      "readDecimal", Decimal(string: "-12.5") ?? 1, { try $0.readDecimal() }, { $0.writeDecimal($1) }),
    value("readRawValue", Tempo.fast, { try $0.readRawValue(Tempo.self) }, { $0.writeRawValue($1) }),
    other(
      "readCodable", isSingle: true, { $0.writeCodable(["a": [1.5, 2]]) },
      { _ = try $0.readCodable([String: [Double]].self) }),
    other(
      "readRawBytes", isSingle: true, { $0.writeRawBytes([5, 6, 7]) }, { _ = try $0.readRawBytes(count: 3) }),
  ]

  private static let collections: [DataBufferRead] = [
    other("readArray", { $0.writeArray([1, 2] as [UInt16]) }, { _ = try $0.readArray(UInt16.self) }),
    other("readArray", { $0.writeArray([["a"], []]) }, { _ = try $0.readArray([String].self) }),
    other(
      "readArray", { $0.writeArray([[[[1]]]] as [[[[UInt8]]]]) }, { _ = try $0.readArray([[[UInt8]]].self) }),
    other("readArray", { $0.writeArray([1, nil] as [Int?]) }, { _ = try $0.readArray(Int?.self) }),
    other("readSet", { $0.writeSet(["a", "b"]) }, { _ = try $0.readSet(String.self) }),
    other(
      "readDictionary", { $0.writeDictionary([1: "a"] as [UInt8: String]) },
      { _ = try $0.readDictionary(UInt8.self, String.self) }),
    other("readOptional", { $0.writeOptional(7 as UInt32?) }, { _ = try $0.readOptional(UInt32.self) }),
    other("readOptional", { $0.writeOptional([1.5] as [Double]?) }, { _ = try $0.readOptional([Double].self) }),
    other("readCount", isSingle: true, { $0.writeVarUInt(0) }, { _ = try $0.readCount(minimumElementByteCount: 2) }),
  ]

  private static let references: [DataBufferRead] = [
    other("readReference", isSingle: true, { $0.writeVarUInt(5) }, { _ = try $0.readReference(Tune.self) }),
    other(
      "readReferences", { $0.writeArray([1, 2, 3] as [UInt8]) }, { _ = try $0.readReferences(Tune.self) }),
    other(
      "readLazyReferences", { $0.writeArray([1, 2, 3] as [UInt8]) },
      { _ = try $0.readLazyReferences(Tune.self).count }),
    other("readAnyReference", isSingle: true, { $0.writeRawBytes([4, 5]) }, { _ = try $0.readAnyReference() }),
    other("readAnyReferences", { $0.writeRawBytes([2, 4, 5, 5, 9]) }, { _ = try $0.readAnyReferences() }),
  ]

  private static let cursor: [DataBufferRead] = [
    other("skip", isSingle: true, { $0.writeUInt16(0) }, { try $0.skip(2) }),
    other("finishReading", isSingle: true, { _ in }, { try $0.finishReading() }),
  ]
}

private enum Tempo: UInt8 {
  case slow = 1
  case fast = 2
}

private final class Tune: StoredObject {}
private final class Album: StoredObject {}

/// A resolver of two classes that finds every row but 77.
private final class AnyObjects: ReferenceResolver {
  private let tune = Tune()
  private let album = Album()

  func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID { KeyspaceID(rawValue: 3) }

  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject {
    guard rowID != 77 else { throw DataBufferError(.referenceUnknownClass, "no such row") }
    return classID.rawValue == 3 ? tune : album
  }
}
