/// The depth of a property list in XML, which is checked before it is parsed: the parser calls itself for each level.
enum XMLDepth {
  private static let array = Array("array".utf8)
  private static let dictionary = Array("dict".utf8)
  private static let comment = Array("!--".utf8)
  private static let text = Array("![CDATA[".utf8)

  private static let starts = ["<?xml", "<!DOCTYPE", "<plist"].map { Array($0.utf8) }

  /// Throws if bytes are no XML in UTF-8, or if arrays and dictionaries are nested too deep.
  ///
  /// The parser reads other encodings and the older form with braces as well, whose depth is not known here.
  static func check(_ bytes: [UInt8]) throws(LegacyError) {
    guard starts.contains(where: { bytes.starts(with: $0) }), !bytes.contains(0) else {
      throw LegacyError(.damaged, "the bytes are neither a property list nor a keyed archive")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw LegacyError(.invalidText, "the property list is not valid UTF-8")
    }
    var depth = 0
    var position = 0
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start + 1
      let rest = bytes[position...]
      if rest.starts(with: comment) {
        position = end(of: "-->", in: bytes, from: position)
      } else if rest.starts(with: text) {
        position = end(of: "]]>", in: bytes, from: position)
      } else if rest.starts(with: array) || rest.starts(with: dictionary) {
        let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
        if bytes[end - 1] == UInt8(ascii: "/") { continue }
        depth += 1
        // A few more levels than a document may have are for the parser to report.
        guard depth <= ValueBudget.depthLimit + 10 else {
          throw LegacyError(.tooDeep, "the property list is nested more than \(ValueBudget.depthLimit) levels deep")
        }
      } else if rest.first == UInt8(ascii: "/"),
        rest.dropFirst().starts(with: array) || rest.dropFirst().starts(with: dictionary)
      {
        depth = max(0, depth - 1)
      }
    }
  }

  private static func end(of mark: String, in bytes: [UInt8], from start: Int) -> Int {
    let mark = Array(mark.utf8)
    var position = start
    while position + mark.count <= bytes.count {
      if bytes[position..<position + mark.count].elementsEqual(mark) { return position + mark.count }
      position += 1
    }
    return bytes.count
  }
}
