/// What a class has said of its content (``StoredObject/contentFields``), as the store remembers it.
public struct ContentLayout: Sendable, Hashable {
  /// The stored name.
  public var className: String
  /// The version of the class that the fields describe, and no other.
  public var version: UInt8
  public var fields: [ContentField]

  public init(className: String, version: UInt8, fields: [ContentField]) {
    self.className = className
    self.version = version
    self.fields = fields
  }

  /// The values of a record, in the order of the fields.
  ///
  /// - Returns: Nil for a record of another version, and where the bytes are not what the fields say: then the fields are
  ///   wrong, and the record is bytes.
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

// As it stands in the store: pairs of name and type behind their number.
extension ContentLayout {
  /// The keyspace that keeps them, under the stored names of classes.
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

  /// Nil where the bytes are none, or name a type of a later version.
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
