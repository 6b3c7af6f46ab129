internal import Todana

/// The position of an unfinished import, which is saved in the commit of its rows.
struct ImportPosition: Equatable {
  var format: String
  var place: RowPlace
  var rowCount: Int
  var skippedRowCount: Int
  /// The size of the file.
  var byteCount: Int
  /// The checksum of the bytes around the place (``ByteInput/digest(around:)``).
  var digest: UInt64

  /// Whether a file is the one that was imported.
  func isOf(_ input: ByteInput, _ format: RowFormat) throws -> Bool {
    guard input.byteCount == byteCount, format.name == self.format else { return false }
    return try input.digest(around: digestOffset) == digest
  }

  /// The place of a property list is a number of elements, so its checksum is that of the beginning.
  var digestOffset: Int { format == "plist" ? 0 : place.byteOffset }

  private static func bufferName(_ key: String) -> String { "import: \(key)" }

  static func load(_ key: String, from store: Store) throws -> ImportPosition? {
    let bytes = try store.readNamedBuffer(bufferName(key)) { buffer in try buffer.readBytes() }
    guard let bytes else { return nil }
    let value = try EncodedValue(checking: bytes).value()
    func number(_ key: String) -> Int { value[key]?.int ?? 0 }
    return ImportPosition(
      format: value["format"]?.string ?? "",
      place: RowPlace(
        byteOffset: number("offset"), lineNumber: value["line"]?.int, column: value["column"]?.int),
      rowCount: number("rows"), skippedRowCount: number("skipped"), byteCount: number("size"),
      digest: UInt64(bitPattern: Int64(number("digest"))))
  }

  /// Stores the position with the next save.
  func store(_ key: String, in store: Store) throws {
    var value: DocumentValue = [
      "format": DocumentValue(format), "offset": DocumentValue(place.byteOffset), "rows": DocumentValue(rowCount),
      "skipped": DocumentValue(skippedRowCount), "size": DocumentValue(byteCount),
      "digest": DocumentValue(Int64(bitPattern: digest)),
    ]
    if let lineNumber = place.lineNumber { value["line"] = DocumentValue(lineNumber) }
    if let column = place.column { value["column"] = DocumentValue(column) }
    let bytes = try EncodedValue(value).bytes
    try store.writeNamedBuffer(Self.bufferName(key)) { buffer in buffer.writeBytes(bytes) }
  }

  /// Removes the position with the next save.
  static func remove(_ key: String, from store: Store) throws { try store.removeNamedBuffer(bufferName(key)) }
}
