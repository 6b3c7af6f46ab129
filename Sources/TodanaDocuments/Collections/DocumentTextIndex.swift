public import Todana

/// A text index of a collection, on the texts at a path, with its rules.
///
/// As JSON, it is the text of its path if it has no rules of its own, and otherwise a dictionary:
/// `{"path": "title", "language": "english"}`.
public struct DocumentTextIndex: Sendable, Hashable {
  /// The path in its normal form; with `[*]` or `**`, all texts that it leads to are searched.
  public let path: String
  /// The language whose words are found by their stems; nil if words are compared as they are written.
  public var language: TextLanguage?
  /// The words that count for nothing in an expression.
  public var stopWords: Set<String>
  /// Whether the index has the places of words, for fast searches for phrases.
  public var keepsPositions: Bool
  /// Whether the index serves parts of words.
  public var findsSubstrings: Bool

  /// Makes an index on a path; see Todana's `TextIndex` for the rules.
  public init(
    _ path: String, language: TextLanguage? = nil, stopWords: Set<String> = [], keepsPositions: Bool = true,
    findsSubstrings: Bool = true
  ) {
    self.path = DocumentPath(path).description
    self.language = language
    self.stopWords = stopWords
    self.keepsPositions = keepsPositions
    self.findsSubstrings = findsSubstrings
  }

  /// Whether the index compares words otherwise than a condition without an index does.
  var hasRulesForWords: Bool { language != nil || !stopWords.isEmpty }

  /// Returns the declaration for the library, on a property that the index's path leads to.
  func declaration<Text: IndexedText>(of property: DerivedProperty<Document, Text>) -> TextIndex {
    TextIndex(
      property, name: PathIndex.shortened("[\(path)]"), language: language, stopWords: stopWords,
      keepsPositions: keepsPositions, findsSubstrings: findsSubstrings)
  }
}

extension DocumentTextIndex: ExpressibleByStringLiteral {
  public init(stringLiteral path: String) { self.init(path) }
}

extension DocumentTextIndex: Codable {
  private enum CodingKeys: String, CodingKey {
    case path, language, stopWords, keepsPositions, findsSubstrings
  }

  public init(from decoder: any Decoder) throws {
    if let path = try? decoder.singleValueContainer().decode(String.self) {
      self.init(path)
      return
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let name = try values.decodeIfPresent(String.self, forKey: .language)
    let language = TextLanguage.all.first { $0.name == name }
    if let name, language == nil {
      throw DecodingError.dataCorruptedError(
        forKey: .language, in: values, debugDescription: "there is no language named \"\(name)\"")
    }
    self.init(
      try values.decode(String.self, forKey: .path), language: language,
      stopWords: try values.decodeIfPresent(Set<String>.self, forKey: .stopWords) ?? [],
      keepsPositions: try values.decodeIfPresent(Bool.self, forKey: .keepsPositions) ?? true,
      findsSubstrings: try values.decodeIfPresent(Bool.self, forKey: .findsSubstrings) ?? true)
  }

  public func encode(to encoder: any Encoder) throws {
    if self == DocumentTextIndex(path) {
      var container = encoder.singleValueContainer()
      return try container.encode(path)
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(path, forKey: .path)
    try values.encodeIfPresent(language?.name, forKey: .language)
    // In one order, so that equal indexes have equal descriptions.
    if !stopWords.isEmpty { try values.encode(stopWords.sorted(by: String.isBefore), forKey: .stopWords) }
    if !keepsPositions { try values.encode(false, forKey: .keepsPositions) }
    if !findsSubstrings { try values.encode(false, forKey: .findsSubstrings) }
  }
}
