/// The content fields that a class has declared (``StoredObject/contentFields``), as the store saved them.
public struct ContentLayout: Sendable, Hashable {
  /// The stored name of the class.
  public var className: String
  /// The only version of the class that the fields describe.
  public var version: UInt8
  public var fields: [ContentField]

  public init(className: String, version: UInt8, fields: [ContentField]) {
    self.className = className
    self.version = version
    self.fields = fields
  }

  /// Returns the values of a record, in the order of the fields.
  ///
  /// - Returns: Nil if the record has another version, or if its bytes do not match the fields. In the latter case the
  ///   fields are wrong, and the record can only be shown as bytes.
  public func values(of record: RawRecord) -> [ContentValue]? {
    guard record.version == version, !fields.isEmpty else { return nil }
    var buffer = DataBuffer(reading: record.content, version: version)
    var values: [ContentValue] = []
    do throws(DataBufferError) {
      for field in fields { values.append(try buffer.readContentValue(field.type)) }
    } catch {
      return nil
    }
    return buffer.isAtEnd ? values : nil
  }
}

// The stored form: the number of fields, then a name and a type for each.
extension ContentLayout {
  /// The name of the keyspace for content layouts, whose keys are the stored names of classes.
  static let keyspaceName = Array("content fields".utf8)

  var bytes: [UInt8] {
    var buffer = DataBuffer()
    buffer.writeVarUInt(UInt64(fields.count))
    for field in fields {
      buffer.writeString(field.name)
      buffer.writeString("\(field.type)")
    }
    return buffer.bytes
  }

  /// Decodes a layout; nil if the bytes are invalid or name a type of a later version.
  init?(className: String, version: UInt8, bytes: [UInt8]) {
    var buffer = DataBuffer(reading: bytes)
    var fields: [ContentField] = []
    do throws(DataBufferError) {
      for _ in 0..<(try buffer.readCount(minimumElementByteCount: 2)) {
        let name = try buffer.readString()
        guard let type = ContentType(try buffer.readString()) else { return nil }
        fields.append(ContentField(name, type))
      }
    } catch {
      return nil
    }
    guard buffer.isAtEnd else { return nil }
    self.init(className: className, version: version, fields: fields)
  }
}
