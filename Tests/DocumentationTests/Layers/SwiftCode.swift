/// A Swift source without comments and without the texts of its literals.
///
/// Code in the interpolations of a literal is kept.
struct SwiftCode {
  private let source: [UInt8]
  private var index = 0
  private var code: [UInt8] = []

  /// The lines of the code, as UTF-8.
  let lines: [ArraySlice<UInt8>]

  init(_ text: String) {
    var reader = SwiftCode(source: Array(text.utf8), lines: [])
    reader.readCode(isInterpolation: false)
    self = SwiftCode(source: [], lines: reader.code.split(separator: UInt8(ascii: "\n")))
  }

  private init(source: [UInt8], lines: [ArraySlice<UInt8>]) {
    self.source = source
    self.lines = lines
  }

  // MARK: Types

  struct Declaration: Hashable {
    let name: String
    /// Whether other files cannot use the type.
    let isPrivate: Bool
  }

  private static let keywords: Set<String> = ["class", "struct", "enum", "protocol", "actor", "typealias"]

  /// The types that the source declares at its top level.
  var declarations: [Declaration] {
    lines.compactMap { line in
      if line.first == UInt8(ascii: " ") { return nil }
      let words = line.split { !Self.isPartOfName($0) }.map { String(decoding: $0, as: UTF8.self) }
      guard let keyword = words.firstIndex(where: Self.keywords.contains), keyword + 1 < words.count else { return nil }
      let modifiers = words[..<keyword]
      if modifiers.contains("func") || modifiers.contains("extension") || modifiers.contains("import") { return nil }
      let isPrivate = modifiers.contains("private") || modifiers.contains("fileprivate")
      return Declaration(name: words[keyword + 1], isPrivate: isPrivate)
    }
  }

  /// The names of types that the source uses: those that begin with a capital letter and are not members.
  var mentions: Set<String> {
    var names: Set<ArraySlice<UInt8>> = []
    for line in lines {
      var rest = line
      while let start = rest.firstIndex(where: Self.isPartOfName) {
        let name = rest[start...].prefix(while: Self.isPartOfName)
        let isMember = line[..<start].last == UInt8(ascii: ".") && line[..<start].dropLast().last != UInt8(ascii: ".")
        if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= name[start] && !isMember { names.insert(name) }
        rest = rest[name.endIndex...]
      }
    }
    return Set(names.map { String(decoding: $0, as: UTF8.self) })
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  // MARK: Reading

  private mutating func readCode(isInterpolation: Bool) {
    var depth = 0
    while index < source.count {
      let byte = source[index]
      if byte == UInt8(ascii: "/") && skip("//") {
        while index < source.count, source[index] != UInt8(ascii: "\n") { index += 1 }
      } else if byte == UInt8(ascii: "/") && skip("/*") {
        skipComment()
      } else if (byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "#")) || !readLiteral() {
        index += 1
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        if isInterpolation && depth < 0 { return }
        code.append(byte)
      }
    }
  }

  /// Skips the rest of a comment, including nested comments.
  private mutating func skipComment() {
    var depth = 1
    while index < source.count, depth > 0 {
      if skip("/*") {
        depth += 1
      } else if skip("*/") {
        depth -= 1
      } else {
        index += 1
      }
    }
  }

  /// Skips a literal and reads its interpolations; returns false if none begins here.
  private mutating func readLiteral() -> Bool {
    let hashes = String(repeating: "#", count: source[index...].prefix { $0 == UInt8(ascii: "#") }.count)
    let isMultiline = skip(hashes + "\"\"\"")
    guard isMultiline || skip(hashes + "\"") else { return false }
    let end = (isMultiline ? "\"\"\"" : "\"") + hashes
    // Stands for the literal, so that the names before and after it stay separate.
    code.append(UInt8(ascii: "\""))
    while index < source.count, !skip(end) {
      if skip("\\" + hashes + "(") {
        code.append(UInt8(ascii: " "))
        readCode(isInterpolation: true)
        code.append(UInt8(ascii: " "))
      } else if skip("\\" + hashes) {
        index += 1
      } else {
        index += 1
      }
    }
    return true
  }

  private mutating func skip(_ text: String) -> Bool {
    guard source[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }
}
