import Foundation
import Synchronization
import Todana

/// A class with a property of each type that conditions, sorts and indexes support.
class Specimen: StoredObject {
  /// An identifying number, equal for the two objects of a pair in both classes.
  var number = 0
  var int = 0
  var byte: UInt8 = 0
  var short: Int16 = 0
  var word: UInt64 = 0
  var real = 0.0
  var single: Float = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var decimal = Decimal()
  var flag = false
  var code: Int?
  var text = ""
  var note: String?
  var data = Data()
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var tags: [String] = []
  var marks: [Int] = []
  var target: SpecimenTarget?

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    int = try buffer.readInt()
    byte = try buffer.readUInt8()
    short = try buffer.readInt16()
    word = try buffer.readUInt64()
    real = try buffer.readDouble()
    single = try buffer.readFloat()
    date = try buffer.readDate()
    decimal = try buffer.readDecimal()
    flag = try buffer.readBool()
    code = try buffer.readOptional()
    text = try buffer.readString()
    note = try buffer.readOptionalString()
    data = Data(try buffer.readBytes())
    uuid = try buffer.readUUID()
    tags = try buffer.readArray()
    marks = try buffer.readArray()
    target = try buffer.readReference(SpecimenTarget.self)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeInt(int)
    buffer.writeUInt8(byte)
    buffer.writeInt16(short)
    buffer.writeUInt64(word)
    buffer.writeDouble(real)
    buffer.writeFloat(single)
    buffer.writeDate(date)
    buffer.writeDecimal(decimal)
    buffer.writeBool(flag)
    buffer.writeOptional(code)
    buffer.writeString(text)
    buffer.writeOptionalString(note)
    buffer.writeBytes([UInt8](data))
    buffer.writeUUID(uuid)
    buffer.writeArray(tags)
    buffer.writeArray(marks)
    buffer.writeReference(target)
  }
}

/// A specimen of a class without indexes, in which every query reads all objects.
final class PlainSpecimen: Specimen {}

/// A specimen of a class with the indexes that a test declares.
final class IndexedSpecimen: Specimen {
  /// The indexes of the test that runs; only one test at a time declares any.
  static let declaredIndexes = Mutex<[Index]>([])

  override class var indexes: [Index] { declaredIndexes.withLock { $0 } }
}

final class SpecimenTarget: StoredObject {
  var name = ""

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}
