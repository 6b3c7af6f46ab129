/// The way to a value in a document: `address.country`, `emails[0]`.
///
/// | path | value |
/// |---|---|
/// | `address.country` | the value of the key `country` in the dictionary `address` |
/// | `emails[0]`, `[0]` | the first element of an array; the first element of the document itself, if it is an array |
/// | `emails[*]` | each element of an array; a value that is no array counts as its only element |
/// | `**.country` | every value of the key `country` at any depth |
/// | `a\.b`, `a\[0]`, `\**`, `a\\b` | keys with a dot, with brackets, of two asterisks, and with a backslash |
///
/// Every text is a path: brackets that enclose neither a number nor an asterisk belong to the key, and a missing key is
/// the empty key. Keys are compared by their bytes.
public struct DocumentPath: Sendable {
  enum Step: Sendable {
    case key(String)
    case index(Int)
    /// Each element of an array; a value that is no array is its own only element.
    case each
    /// Any number of keys and indexes, including none.
    case anyDepth
  }

  let steps: [Step]

  init(steps: [Step]) { self.steps = steps }

  public init(_ text: String) {
    var reader = PathReader(text)
    steps = reader.steps()
  }

  /// Whether the path leads to one value at most.
  package var isSingle: Bool {
    steps.allSatisfy { step in
      switch step {
      case .key, .index: true
      case .each, .anyDepth: false
      }
    }
  }
}

extension DocumentPath: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension DocumentPath: CustomStringConvertible {
  /// The text of the path, which is the same for all texts of equal paths.
  public var description: String {
    var text = ""
    var isFirst = true
    for step in steps {
      switch step {
      case .key(let key):
        if !isFirst { text += "." }
        text += Self.escaped(key)
      case .index(let index): text += "[\(index)]"
      case .each: text += "[*]"
      case .anyDepth:
        if !isFirst { text += "." }
        text += "**"
      }
      isFirst = false
    }
    return text
  }

  /// Returns a key as it is written in a path: with a backslash before each character that has a meaning there.
  public static func escaped(_ key: String) -> String {
    if key == "**" { return "\\**" }
    guard key.utf8.contains(where: { ".[\\".utf8.contains($0) }) else { return key }
    var bytes: [UInt8] = []
    for byte in key.utf8 {
      if ".[\\".utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DocumentPath: Hashable {
  public static func == (lhs: DocumentPath, rhs: DocumentPath) -> Bool {
    lhs.description.utf8.elementsEqual(rhs.description.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = description
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// A reader of the text of a path.
private struct PathReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func steps() -> [DocumentPath.Step] {
    var steps: [DocumentPath.Step] = []
    while true {
      appendPart(to: &steps)
      guard position < bytes.count else { return steps }
      position += 1  // the dot
    }
  }

  /// Reads a key with its indexes, up to the next dot or the end.
  private mutating func appendPart(to steps: inout [DocumentPath.Step]) {
    let start = position
    var key: [UInt8] = []
    var isEscaped = false
    var indexes: [DocumentPath.Step]?
    loop: while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "."): break loop
      case UInt8(ascii: "\\") where position + 1 < bytes.count:
        isEscaped = true
        key.append(bytes[position + 1])
        position += 2
      case UInt8(ascii: "["):
        if let found = indexesToEndOfPart() {
          indexes = found
          break loop
        }
        fallthrough
      default:
        key.append(bytes[position])
        position += 1
      }
    }
    // A part that consists of indexes alone has no key.
    let hasKey = position > start || indexes == nil
    if !isEscaped, indexes == nil, key == Array("**".utf8) {
      steps.append(.anyDepth)
    } else if hasKey {
      steps.append(.key(String(decoding: key, as: UTF8.self)))
    }
    guard let indexes else { return }
    steps += indexes
    while position < bytes.count, bytes[position] != UInt8(ascii: ".") { position += 1 }
  }

  /// Returns the indexes from the current bracket to the end of the part; nil if the brackets enclose anything else.
  private func indexesToEndOfPart() -> [DocumentPath.Step]? {
    var indexes: [DocumentPath.Step] = []
    var place = position
    while place < bytes.count, bytes[place] != UInt8(ascii: ".") {
      guard bytes[place] == UInt8(ascii: "["),
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "]"))
      else { return nil }
      let inner = bytes[(place + 1)..<end]
      if inner.elementsEqual("*".utf8) {
        indexes.append(.each)
      } else {
        guard !inner.isEmpty, inner.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
          let index = Int(String(decoding: inner, as: UTF8.self))
        else { return nil }
        indexes.append(.index(index))
      }
      place = end + 1
    }
    return indexes
  }
}
