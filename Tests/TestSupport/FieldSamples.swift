import Foundation
public import Todana

/// A class that declares fields of all kinds.
public final class FieldSample: StoredObject {
  public override class var storedName: String { "Sample" }
  public override class var contentFields: [ContentField] {
    [
      ContentField("flag", .bool), ContentField("small", .int8), ContentField("large", .uint64),
      ContentField("signed", .varInt), ContentField("float", .float), ContentField("double", .double),
      ContentField("text", .string), ContentField("none", .optional(.string)), ContentField("bytes", .bytes),
      ContentField("date", .date), ContentField("id", .uuid), ContentField("numbers", .array(.optional(.uint16))),
      ContentField("self", .reference), ContentField("any", .anyReference), ContentField("list", .references),
    ]
  }

  public override func writeContent(to buffer: inout DataBuffer) {
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

/// A class whose declared fields differ from the content that it writes.
public final class WrongFieldSample: StoredObject {
  public override class var contentFields: [ContentField] { [ContentField("number", .uint8)] }
  public override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt16(1) }
}
