internal import Todana

/// An index on paths of documents, given by a text: `[last_name], [first_name] DESC`; `savedAt` is the time of the last
/// save.
struct PathIndex: Sendable, Equatable {
  /// The text in its normal form, which identifies the index.
  let text: String
  let isUnique: Bool
  private let parts: [Part]

  private struct Part: Sendable, Equatable {
    let path: DocumentPath
    let isSavingTime: Bool
    let isDescending: Bool
    let isFolded: Bool

    var text: String {
      (isSavingTime ? PathListReader.savingTime : "[\(path)]") + (isFolded ? "[c]" : "")
        + (isDescending ? " DESC" : "")
    }
  }

  static func == (lhs: PathIndex, rhs: PathIndex) -> Bool {
    lhs.isUnique == rhs.isUnique && lhs.text.utf8.elementsEqual(rhs.text.utf8)
  }

  /// Reads the text of an index.
  ///
  /// - Throws: ``DocumentError/Code/invalidText``, with the place.
  init(_ text: String, unique isUnique: Bool) throws(DocumentError) {
    var reader = PathListReader(text)
    var parts: [Part] = []
    for part in try reader.parts() {
      if part.isFolded, part.isDescending || part.isSavingTime || !part.path.isSingle {
        throw DocumentError(.invalidText, "[c] needs a path to one value, in ascending order", at: part.byteOffset)
      }
      if part.path.steps.contains(where: \.isAnyDepth) {
        throw DocumentError(
          .invalidText, "an index on paths cannot have **; indexEverything() serves any depth", at: part.byteOffset)
      }
      if !part.path.isSingle, part.isDescending {
        throw DocumentError(.invalidText, "an index on elements is ascending", at: part.byteOffset)
      }
      parts.append(
        Part(
          path: part.path, isSavingTime: part.isSavingTime, isDescending: part.isDescending, isFolded: part.isFolded))
    }
    self.parts = parts
    self.text = parts.map(\.text).joined(separator: ", ")
    self.isUnique = isUnique
  }

  /// Returns the name of the tree: with other defaults it is another one.
  private func name(_ settings: QuerySettings) -> String {
    var name = (isUnique ? "unique " : "") + text
    for part in parts where !part.isSavingTime {
      if let value = settings.defaults[part.path] { name += " or \(value)" }
    }
    return Self.shortened(name)
  }

  /// Returns a name that the library accepts: of at most 255 bytes without NUL.
  static func shortened(_ name: String) -> String {
    if name.utf8.count <= nameByteLimit, !name.utf8.contains(0) { return name }
    // A longer one ends in a hash of all bytes (FNV-1a).
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var start = ""
    for scalar in name.unicodeScalars where scalar != "\0" {
      if start.utf8.count > 200 { break }
      start.unicodeScalars.append(scalar)
    }
    return start + "… " + String(hash, radix: 16)
  }

  private static let nameByteLimit = 255

  /// Returns the declaration for the library.
  func index(_ settings: QuerySettings) -> Index {
    Index(
      parts: parts.map { part -> IndexPart in
        if part.isSavingTime {
          return part.isDescending ? .descending(Document.savingTime) : .ascending(Document.savingTime)
        }
        let defaultValue = settings.defaults[part.path]
        if part.isFolded { return .folded(Document.text(at: part.path, default: defaultValue)) }
        if !part.path.isSingle { return .each(Document.elements(at: part.path)) }
        let property = Document.property(at: part.path, default: defaultValue)
        return part.isDescending ? .descending(property) : .ascending(property)
      }, unique: isUnique, name: name(settings))
  }
}

/// A reader of lists of paths in brackets, each with an optional `[c]` and `ASC` or `DESC`.
struct PathListReader {
  private let bytes: [UInt8]
  private var position = 0

  /// The word for the time of the last save.
  static let savingTime = "savedAt"

  struct Part {
    let path: DocumentPath
    /// Whether the part is the time of the last save, and has no path.
    var isSavingTime = false
    var isFolded = false
    var isDescending = false
    let byteOffset: Int
  }

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Reads all parts.
  ///
  /// - Throws: ``DocumentError/Code/invalidText``, with the place.
  mutating func parts() throws(DocumentError) -> [Part] {
    var parts: [Part] = []
    while true {
      skipSpaces()
      let start = position
      var part = try field(at: start)
      if let fold = bracketed() {
        guard fold == "c" || fold == "cd" else { throw expected("[c], ASC, DESC or a comma") }
        part.isFolded = true
      }
      skipSpaces()
      if take(word: "DESC") { part.isDescending = true } else { _ = take(word: "ASC") }
      skipSpaces()
      parts.append(part)
      if position == bytes.count { return parts }
      guard bytes[position] == UInt8(ascii: ",") else { throw expected("a comma") }
      position += 1
    }
  }

  private mutating func field(at start: Int) throws(DocumentError) -> Part {
    if let path = bracketed() { return Part(path: DocumentPath(path), byteOffset: start) }
    let word = Array(Self.savingTime.utf8)
    if bytes[start...].starts(with: word) {
      position += word.count
      return Part(path: DocumentPath(steps: []), isSavingTime: true, byteOffset: start)
    }
    throw expected("a path in brackets, such as [address.country], or savedAt")
  }

  private func expected(_ what: String) -> DocumentError {
    DocumentError(.invalidText, "expected \(what)", at: position)
  }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position]) { position += 1 }
  }

  /// Reads the text between brackets, which may contain pairs of brackets and escaped ones; nil if there is none.
  private mutating func bracketed() -> String? {
    guard let end = BracketedPath.end(in: bytes, from: position) else { return nil }
    defer { position = end }
    return String(decoding: bytes[(position + 1)..<(end - 1)], as: UTF8.self)
  }

  private mutating func take(word: String) -> Bool {
    let end = position + word.utf8.count
    guard end <= bytes.count, zip(bytes[position..<end], word.utf8).allSatisfy({ $0 & ~0x20 == $1 }) else {
      return false
    }
    position = end
    return true
  }
}

/// The end of a path in brackets.
enum BracketedPath {
  /// Returns a path without the brackets around all of it; `[0]` and `[*]` are paths themselves.
  static func inner(of text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > 2, end(in: bytes, from: 0) == bytes.count, case .key? = DocumentPath(text).steps.first else {
      return text
    }
    return String(decoding: bytes[1..<(bytes.count - 1)], as: UTF8.self)
  }

  /// Returns the position after the closing bracket; nil if no bracket begins here, or none closes it.
  static func end(in bytes: [UInt8], from start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
    var depth = 0
    var position = start
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\\"): position += 1
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return position + 1 }
      default: break
      }
      position += 1
    }
    return nil
  }
}
