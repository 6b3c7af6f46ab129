/// The way to a value in a document: `address.country`, `emails[0]`.
///
/// | path | value |
/// |---|---|
/// | `address.country` | the value of the key `country` in the dictionary `address` |
/// | `emails[0]`, `[0]` | the first element of an array; the first element of the document itself, if it is an array |
/// | `emails[*]` | each element of an array; a value that is no array counts as its only element |
/// | `**.country` | every value of the key `country` at any depth |
/// | `a\.b`, `a\[0\]`, `\**`, `a\\b` | keys with a dot, with brackets, of two asterisks, and with a backslash |
/// | `.[0]` | the first element of the array of an empty key |
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
  package var isSingle: Bool { !steps.contains(where: \.isWildcard) }
}

extension DocumentPath.Step {
  /// Whether the step may lead to several values, or to none.
  var isWildcard: Bool {
    switch self {
    case .key, .index: false
    case .each, .anyDepth: true
    }
  }

  var isAnyDepth: Bool {
    if case .anyDepth = self { return true }
    return false
  }
}

extension DocumentPath: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension DocumentPath: CustomStringConvertible {
  /// The text of the path, which is the same for all texts of equal paths.
  public var description: String {
    var text = ""
    for (position, step) in steps.enumerated() {
      switch step {
      case .key, .anyDepth: if position > 0 { text += "." }
      case .index, .each:
        // Brackets directly after them would take the place of an empty key, and make a key of `**`.
        if position > 0, steps[position - 1].needsDotBeforeIndex { text += "." }
      }
      switch step {
      case .key(let key): text += Self.escaped(key)
      case .index(let index): text += "[\(index)]"
      case .each: text += "[*]"
      case .anyDepth: text += "**"
      }
    }
    return text
  }

  /// Returns a key as it is written in a path: with a backslash before each character that has a meaning there.
  public static func escaped(_ key: String) -> String {
    if key == "**" { return "\\**" }
    guard key.utf8.contains(where: isSpecial) else { return key }
    var bytes: [UInt8] = []
    for byte in key.utf8 {
      if isSpecial(byte) { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether the text of a path is its only key, without escapes.
  static func isOneKey(_ text: String) -> Bool {
    for byte in text.utf8 where isSpecial(byte) { return false }
    return text.utf8.count != 2 || text != "**"
  }

  /// Returns whether a byte has a meaning in paths.
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "\\")
  }
}

extension DocumentPath.Step {
  fileprivate var needsDotBeforeIndex: Bool {
    switch self {
    case .key(let key): key.isEmpty
    case .anyDepth: true
    case .index, .each: false
    }
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
    var brackets: [Int] = []
    while position < bytes.count, bytes[position] != UInt8(ascii: ".") {
      if bytes[position] == UInt8(ascii: "\\") {
        position += 1
      } else if bytes[position] == UInt8(ascii: "[") {
        brackets.append(position)
      }
      position += 1
    }
    // A backslash at the end stands for itself.
    position = min(position, bytes.count)
    var keyEnd = position
    var indexes: [DocumentPath.Step] = []
    while let bracket = brackets.popLast(), let index = index(in: bracket..<keyEnd) {
      indexes.append(index)
      keyEnd = bracket
    }
    let key = bytes[start..<keyEnd]
    if indexes.isEmpty, key.elementsEqual("**".utf8) {
      steps.append(.anyDepth)
    } else if !key.isEmpty || indexes.isEmpty {
      steps.append(.key(unescaped(key)))
    }
    steps += indexes.reversed()
  }

  /// Returns the step of an index in brackets; nil if the bytes are anything else.
  private func index(in range: Range<Int>) -> DocumentPath.Step? {
    guard range.count > 2, bytes[range.upperBound - 1] == UInt8(ascii: "]") else { return nil }
    let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
    if inner.elementsEqual("*".utf8) { return .each }
    guard inner.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return Int(String(decoding: inner, as: UTF8.self)).map { .index($0) }
  }

  private func unescaped(_ key: ArraySlice<UInt8>) -> String {
    guard key.contains(UInt8(ascii: "\\")) else { return String(decoding: key, as: UTF8.self) }
    var result: [UInt8] = []
    var position = key.startIndex
    while position < key.endIndex {
      if key[position] == UInt8(ascii: "\\"), position + 1 < key.endIndex { position += 1 }
      result.append(key[position])
      position += 1
    }
    return String(decoding: result, as: UTF8.self)
  }
}
