/// The fields of a class in the order in which its records have them; the files contain no such description.
package struct BNRSchema: Sendable, Equatable {
  package let className: String
  /// The version of the records that the description is for; nil for all versions without one of their own.
  package let version: UInt8?
  package let fields: [Field]

  package struct Field: Sendable, Equatable {
    package let name: String
    package let type: FieldType
  }

  package enum FieldType: Sendable, Equatable {
    case uint8
    case uint32
    case float32
    case float64
    case string
    case data
    case date
    /// A row of a class; nil for any class.
    case reference(String?)
    /// Rows of a class; nil for any classes.
    case array(String?)
    case archivedObject
  }

  /// Reads a description: `Song: title string, seconds uint32`, or `Song@2: …` for the records of version 2.
  ///
  /// - Throws: ``LegacyError/Code/invalidSchema``.
  package init(_ text: String) throws(LegacyError) {
    func refused(_ problem: String) -> LegacyError {
      LegacyError(.invalidSchema, "the description \"\(text)\" \(problem), as in 'Song: title string, seconds uint32'")
    }
    guard let colon = text.firstIndex(of: ":") else { throw refused("needs a colon after the name of the class") }
    let head = text[..<colon].split(separator: "@", omittingEmptySubsequences: false).map { Self.trimmed($0) }
    guard head.count <= 2, let name = head.first, !name.isEmpty else { throw refused("needs the name of a class") }
    className = name
    if head.count == 2 {
      guard let number = UInt8(head[1]) else { throw refused("needs a version from 0 to 255 after the @") }
      version = number
    } else {
      version = nil
    }
    var fields: [Field] = []
    let list = Self.trimmed(text[text.index(after: colon)...])
    for part in list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let name = words.first, let type = Self.type(Array(words.dropFirst())) else {
        throw refused(
          "has the field \"\(Self.trimmed(part))\" without a valid type (uint8, uint32, float32, float64, string, data, "
            + "date, reference CLASS, reference any, array CLASS, array any, archived object)")
      }
      guard !fields.contains(where: { $0.name == name }) else { throw refused("has the field \"\(name)\" twice") }
      fields.append(Field(name: name, type: type))
    }
    self.fields = fields
  }

  /// Reads descriptions, one on each line; empty lines and lines that begin with `#` count for nothing.
  package static func schemas(ofText text: String) throws(LegacyError) -> [BNRSchema] {
    var schemas: [BNRSchema] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      if !line.isEmpty, !line.hasPrefix("#") { schemas.append(try BNRSchema(line)) }
    }
    return schemas
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  private static func type(_ words: [String]) -> FieldType? {
    switch (words.first, words.count) {
    case ("uint8", 1): .uint8
    case ("uint32", 1): .uint32
    case ("float32", 1): .float32
    case ("float64", 1): .float64
    case ("string", 1): .string
    case ("data", 1): .data
    case ("date", 1): .date
    case ("reference", 2): .reference(words[1] == "any" ? nil : words[1])
    case ("array", 2): .array(words[1] == "any" ? nil : words[1])
    case ("archived", 2) where words[1] == "object": .archivedObject
    default: nil
    }
  }
}
