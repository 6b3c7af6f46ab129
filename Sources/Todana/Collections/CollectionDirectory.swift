/// The list of all collections of a store, which is a named buffer of its own (docs/formats/collections.md).
package struct CollectionDirectory {
  static var bufferName: String { NamedBuffers.reservedName }
  package static let version: UInt8 = 2

  var entries: [Entry] = []

  struct Entry {
    /// The stored name of the class of the objects.
    var elementName: String
    /// The stored name of the table.
    var tableName: String
    var collection: StoredCollection
  }

  /// Returns the position of a collection, whose name is compared by its bytes.
  func position(of name: String) -> Int? {
    entries.firstIndex { $0.collection.name.utf8.elementsEqual(name.utf8) }
  }

  init() {}

  package init(reading buffer: inout DataBuffer) throws(DataBufferError) {
    guard buffer.version == Self.version || buffer.version == 1 else {
      throw DataBufferError(.invalidValue, "the list of collections has the unknown version \(buffer.version)")
    }
    let count = try buffer.readVarUInt()
    for _ in 0..<count {
      let elementName = try buffer.readString()
      let tableName = try buffer.readString()
      let name = try buffer.readString()
      let description = try buffer.readBytes()
      let revision = buffer.version == 1 ? 0 : try buffer.readUInt64()
      entries.append(
        Entry(
          elementName: elementName, tableName: tableName,
          collection: StoredCollection(name: name, description: description, revision: revision)))
    }
  }

  package func write(to buffer: inout DataBuffer) {
    buffer.writeVarUInt(UInt64(entries.count))
    for entry in entries {
      buffer.writeString(entry.elementName)
      buffer.writeString(entry.tableName)
      buffer.writeString(entry.collection.name)
      buffer.writeBytes(entry.collection.description)
      buffer.writeUInt64(entry.collection.revision)
    }
  }
}
