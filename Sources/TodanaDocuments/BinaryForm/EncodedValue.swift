/// A value in its binary form, of which parts can be read without the rest.
///
/// The bytes were checked or written by this module, so reading them causes no errors.
package struct EncodedValue: Sendable {
  package private(set) var bytes: [UInt8]

  /// Makes a value of bytes.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``, ``DocumentError/Code/tooDeep``.
  package init(checking bytes: [UInt8]) throws(DocumentError) {
    try BinaryReader.check(bytes)
    self.bytes = bytes
  }

  /// Encodes a value.
  ///
  /// - Throws: ``DocumentError/Code/tooDeep``, ``DocumentError/Code/tooLarge``.
  package init(_ value: DocumentValue, byteLimit: Int = 16 << 20) throws(DocumentError) {
    bytes = try BinaryWriter.bytes(of: value, byteLimit: byteLimit)
  }

  /// Decodes the whole value.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes`` for bytes that were not checked.
  package func value() throws(DocumentError) -> DocumentValue { try BinaryReader.value(of: bytes) }

  /// Returns the value at a path, the first if there are several; nil if there is none.
  package func value(at path: DocumentPath) throws(DocumentError) -> DocumentValue? {
    try BinaryReader.read(bytes) { reader throws(DocumentError) in
      if path.isSingle {
        for step in path.steps { guard try reader.move(step) else { return nil } }
        return try reader.readValue()
      }
      var first: DocumentValue?
      _ = try reader.forEachValue(at: path) { found throws(DocumentError) in
        var found = found
        first = try found.readValue()
        return false
      }
      return first
    }
  }

  /// Returns all values at a path, in the order of the document.
  package func values(at path: DocumentPath) throws(DocumentError) -> [DocumentValue] {
    try BinaryReader.read(bytes) { reader throws(DocumentError) in
      var values: [DocumentValue] = []
      _ = try reader.forEachValue(at: path) { found throws(DocumentError) in
        var found = found
        values.append(try found.readValue())
        return true
      }
      return values
    }
  }

  // The bytes were checked, so reading them does not throw.

  /// The whole value.
  var checkedValue: DocumentValue { (try? value()) ?? DocumentValue(DocumentDictionary()) }

  /// Returns the value at a path, the first if there are several.
  func checkedValue(at path: DocumentPath) -> DocumentValue? { (try? value(at: path)) ?? Optional.none }

  /// Returns the value of a key.
  func checkedValue(ofKey key: String) -> DocumentValue? {
    let value = try? BinaryReader.read(bytes) { reader throws(DocumentError) -> DocumentValue? in
      try reader.move(toKey: key) ? try reader.readValue() : Optional.none
    }
    return value ?? Optional.none
  }

  /// Returns all values at a path.
  func checkedValues(at path: DocumentPath) -> [DocumentValue] { (try? values(at: path)) ?? [] }

  /// The value of a document without content.
  static let emptyDictionary = EncodedValue(unchecked: [BinaryForm.Tag.dictionary, 0])

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}
