/// A declaration of texts that are searched together, with the rules for their words.
///
/// ```swift
/// override class var textIndexes: [TextIndex] {
///   [
///     TextIndex(\Song.title),
///     TextIndex(\Song.title, \Song.lyrics, name: "everything", weights: [4, 1], language: .english),
///   ]
/// }
/// ```
///
/// A condition names the index: `$0.matches("blue", in: "everything")`. The index is stored beside the records, in
/// segments that the store makes in the background; objects that no segment has yet are read by each search.
///
/// A text index takes stored properties of the object itself: texts, optional texts, and lists of them. Another property
/// is refused when a store is opened, with ``StoreError/Code/invalidIndex``, and so are two text indexes of one name.
public struct TextIndex: Sendable {
  let columns: [TextColumn]
  let givenName: String?
  let weights: [Double]
  let language: TextLanguage?
  let stopWords: Set<String>
  let keepsPositions: Bool
  let findsSubstrings: Bool

  /// Creates a text index over one property, or over several.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - name: The name by which conditions refer to the index. By default it is made of the names of its properties,
  ///     such as "title" or "title, lyrics".
  ///   - weights: For each property, a factor of its matches in the relevance, from 0 to 1,000,000; if empty, 1 for
  ///     all.
  ///   - language: The language of the texts. Words of an expression then also find words with the same stem. Without a
  ///     language, words are compared as they are written, without case and accents.
  ///   - stopWords: Words that count for nothing in an expression, unless they are part of a longer phrase, a prefix or
  ///     a pattern.
  ///   - keepsPositions: Whether the stored index has the places of words and of parts of texts. Phrases, words near each
  ///     other and long substrings are then found without reading objects. The index takes about 80 % more space.
  ///   - findsSubstrings: Whether the stored index serves substrings, beginnings and ends of texts. Without that it takes
  ///     a third of the space, and such conditions read all objects.
  public init<Root: StoreIdentifiable, each Text: IndexedText>(
    _ keyPaths: repeat any KeyPath<Root, each Text> & Sendable, name: String? = nil, weights: [Double] = [],
    language: TextLanguage? = nil, stopWords: Set<String> = [], keepsPositions: Bool = true,
    findsSubstrings: Bool = true
  ) {
    var columns: [TextColumn] = []
    for keyPath in repeat each keyPaths { columns.append(TextColumn(Property(keyPath))) }
    for (index, weight) in weights.prefix(columns.count).enumerated() { columns[index].weight = weight }
    self.columns = columns
    givenName = name
    self.weights = weights
    self.language = language
    self.stopWords = stopWords
    self.keepsPositions = keepsPositions
    self.findsSubstrings = findsSubstrings
  }

  /// Creates a text index over a property that code derives from the content of objects.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - name: The name by which conditions refer to the index; by default that of the property.
  ///   - language: As for ``init(_:name:weights:language:stopWords:keepsPositions:findsSubstrings:)``.
  ///   - stopWords: As for ``init(_:name:weights:language:stopWords:keepsPositions:findsSubstrings:)``.
  ///   - keepsPositions: As for ``init(_:name:weights:language:stopWords:keepsPositions:findsSubstrings:)``.
  ///   - findsSubstrings: As for ``init(_:name:weights:language:stopWords:keepsPositions:findsSubstrings:)``.
  public init<Root: StoredObject, Text: IndexedText>(
    _ property: DerivedProperty<Root, Text>, name: String? = nil, language: TextLanguage? = nil,
    stopWords: Set<String> = [], keepsPositions: Bool = true, findsSubstrings: Bool = true
  ) {
    columns = [TextColumn(property.property)]
    givenName = name
    weights = []
    self.language = language
    self.stopWords = stopWords
    self.keepsPositions = keepsPositions
    self.findsSubstrings = findsSubstrings
  }

  /// The name that identifies the index; nil if none is given and the name of a property is not known.
  var name: String? {
    if let givenName { return givenName }
    let names = columns.compactMap(\.path.name)
    return names.count == columns.count ? names.joined(separator: ", ") : nil
  }

  /// The rules for words; nil if the installed library has no stemmer for the language.
  var analyzer: TextAnalyzer? {
    var analyzer = TextAnalyzer()
    if let language {
      guard let stemmer = Stemmer(language) else { return nil }
      analyzer.stemmer = stemmer
    }
    for word in stopWords {
      AnalyzedText.with(word) { text in analyzer.stopWords.formUnion(text.copiedWords) }
    }
    return analyzer
  }
}
