/// A part of a text expression.
indirect enum TextNode: Sendable, Hashable {
  enum Term: Sendable, Hashable { case word, prefix, suffix, substring, phrase, beginning, end, whole }

  case term(Term, String)
  case fuzzy(String, edits: Int)
  case near([String], distance: Int)
  case regularExpression(String)
  case all([TextNode])
  case any([TextNode])
  case not(TextNode)

  /// A part without words.
  static var nothing: TextNode { .term(.phrase, "") }

  /// Returns a term; one of words without any text is ``nothing``.
  static func make(_ term: Term, _ text: String) -> TextNode {
    switch term {
    case .word where text.isEmpty, .prefix where text.isEmpty, .suffix where text.isEmpty: nothing
    default: .term(term, text)
    }
  }

  static func makeNear(_ words: [String], distance: Int) -> TextNode {
    switch words.count {
    case 0: nothing
    case 1: make(.word, words[0])
    default: .near(words, distance: distance)
    }
  }

  static func joinAll(_ nodes: [TextNode]) -> TextNode {
    let parts = nodes.flatMap { node -> [TextNode] in
      if case .all(let parts) = node { return parts }
      return [node]
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? nothing : .all(parts)
  }

  static func joinAny(_ nodes: [TextNode]) -> TextNode {
    let parts = nodes.flatMap { node -> [TextNode] in
      if case .any(let parts) = node { return parts }
      return [node]
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? nothing : .any(parts)
  }
}

extension TextNode {
  /// The number of levels of nested parts.
  var depth: Int {
    switch self {
    case .all(let nodes), .any(let nodes): 1 + (nodes.map(\.depth).max() ?? 0)
    case .not(let node): 1 + node.depth
    case .term, .fuzzy, .near, .regularExpression: 1
    }
  }
}

extension TextNode: CustomStringConvertible {
  var description: String {
    switch self {
    case .term(let term, let text):
      switch term {
      case .word: return Self.escaped(text)
      case .prefix: return Self.escaped(text) + "*"
      case .suffix: return "*" + Self.escaped(text)
      case .substring: return "*" + Self.escaped(text, within: true) + "*"
      case .phrase: return Self.quoted(text)
      case .beginning: return "^" + Self.quoted(text)
      case .end: return Self.quoted(text) + "$"
      case .whole: return "^" + Self.quoted(text) + "$"
      }
    case .fuzzy(let text, let edits): return Self.escaped(text) + "~\(edits)"
    case .near(let words, let distance):
      return words.map { $0.isEmpty ? Self.quoted($0) : Self.escaped($0) }.joined(separator: " NEAR/\(distance) ")
    case .regularExpression(let text): return "/" + Self.escaped(text, ["/"]) + "/"
    case .all(let nodes):
      return nodes.map { node in
        if case .any = node { return "(\(node))" }
        return node.description
      }.joined(separator: " ")
    case .any(let nodes): return nodes.map(\.description).joined(separator: " OR ")
    case .not(let node):
      switch node {
      case .all, .any, .near: return "-(\(node))"
      default: return "-\(node)"
      }
    }
  }

  private static let operators: Set<String> = ["OR", "AND", "NOT"]

  /// Returns a text as a word without quotation marks: a backslash comes before each character with a meaning.
  private static func escaped(_ text: String, within: Bool = false) -> String {
    var result = ""
    for (index, character) in text.unicodeScalars.enumerated() {
      let hasMeaning =
        character.properties.isWhitespace || "\"()\\*~^$/".unicodeScalars.contains(character)
        || character == "-" && index == 0 && !within
      if hasMeaning { result += "\\" }
      result.unicodeScalars.append(character)
    }
    return operators.contains(text) || text.hasPrefix("NEAR") ? "\\" + result : result
  }

  private static func quoted(_ text: String) -> String {
    "\"" + escaped(text, ["\\", "\""]) + "\""
  }

  /// Returns a text with a backslash before some scalars, also before those that a mark follows.
  private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if special.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
