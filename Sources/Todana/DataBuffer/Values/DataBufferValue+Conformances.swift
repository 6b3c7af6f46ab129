#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Each type uses the write and read methods that are named after it.

extension Int8: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeInt8(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Int8 {
    try buffer.readInt8()
  }
}

extension Int16: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 2 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeInt16(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Int16 {
    try buffer.readInt16()
  }
}

extension Int32: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 4 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeInt32(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Int32 {
    try buffer.readInt32()
  }
}

extension Int64: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeInt64(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Int64 {
    try buffer.readInt64()
  }
}

extension UInt8: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt8(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UInt8 {
    try buffer.readUInt8()
  }
}

extension UInt16: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 2 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt16(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UInt16 {
    try buffer.readUInt16()
  }
}

extension UInt32: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 4 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt32(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UInt32 {
    try buffer.readUInt32()
  }
}

extension UInt64: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt64(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UInt64 {
    try buffer.readUInt64()
  }
}

extension Int: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeInt(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Int {
    try buffer.readInt()
  }
}

extension UInt: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UInt {
    try buffer.readUInt()
  }
}

extension Float: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 4 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeFloat(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Float {
    try buffer.readFloat()
  }
}

extension Double: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeDouble(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Double {
    try buffer.readDouble()
  }
}

extension Bool: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeBool(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Bool {
    try buffer.readBool()
  }
}

extension String: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeString(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> String {
    try buffer.readString()
  }
}

extension Data: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeData(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Data {
    try buffer.readData()
  }
}

extension Date: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 8 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeDate(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Date {
    try buffer.readDate()
  }
}

extension UUID: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 16 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeUUID(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> UUID {
    try buffer.readUUID()
  }
}

extension URL: DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 2 }

  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeURL(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> URL {
    try buffer.readURL()
  }
}

extension Decimal: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeDecimal(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Decimal {
    try buffer.readDecimal()
  }
}

extension Optional: DataBufferValue where Wrapped: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeOptional(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Wrapped? {
    try buffer.readOptional(Wrapped.self)
  }
}

extension Array: DataBufferValue where Element: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeArray(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> [Element] {
    try buffer.readArray(Element.self)
  }
}

extension Set: DataBufferValue where Element: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeSet(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Set<Element> {
    try buffer.readSet(Element.self)
  }
}

extension Dictionary: DataBufferValue where Key: DataBufferValue, Value: DataBufferValue {
  @inlinable public func writeValue(to buffer: inout DataBuffer) { buffer.writeDictionary(self) }

  @inlinable public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> [Key: Value] {
    try buffer.readDictionary(Key.self, Value.self)
  }
}
