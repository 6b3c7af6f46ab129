/// A subject, as the program that starts its processes sees it.
struct TextSubjectEntry {
  /// The way in which the subject is run.
  enum Runner {
    /// In a process of this program.
    case program(any TextSubject)
    /// In Python, with a module that may be missing.
    case python(module: String, installation: String)
  }

  let name: String
  let runner: Runner
  var isOurs = false
  var isEncrypted = false
  /// Whether the subject takes too long for all texts.
  var isScaled = false
  /// The reasons for counts that differ from Todana's, by kind of query.
  var differences: [TextQuery.Kind: String] = [:]

  var subject: (any TextSubject)? {
    if case .program(let subject) = runner { return subject }
    return nil
  }
}

enum TextSubjectList {
  /// The name of the subject that reads all objects, whose counts are the right ones.
  static let reference = "todana-scan"

  static let all: [TextSubjectEntry] = [
    TextSubjectEntry(name: reference, runner: .program(TodanaTextSubject<PlainEntry>()), isOurs: true),
    TextSubjectEntry(name: "todana", runner: .program(TodanaTextSubject<PositionsEntry>()), isOurs: true),
    TextSubjectEntry(name: "todana-compact", runner: .program(TodanaTextSubject<CompactEntry>()), isOurs: true),
    TextSubjectEntry(
      name: "todana-encrypted", runner: .program(TodanaTextSubject<PositionsEntry>(isEncrypted: true)), isOurs: true,
      isEncrypted: true),
    TextSubjectEntry(
      name: "sqlite", runner: .program(SQLiteTextSubject(tokenizer: "unicode61 remove_diacritics 2")),
      differences: reasons(words: wordsOfSQLite, substring: foldingOfLike)),
    TextSubjectEntry(
      name: "sqlite-trigram", runner: .program(SQLiteTextSubject(tokenizer: "trigram")),
      differences: [
        .substring: "compares accents and forms of characters",
        .regularExpression: "has no regular expressions but GLOB, which compares case and accents",
      ]),
    TextSubjectEntry(
      name: "tantivy", runner: .python(module: "tantivy", installation: "pip install tantivy"),
      differences: reasons(
        words: wordsOfTantivy,
        substring: "finds substrings and regular expressions only within a word, and folds other characters than Todana"
      )),
    TextSubjectEntry(
      name: "xapian", runner: .python(module: "xapian", installation: "apt-get install python3-xapian"),
      isScaled: true,
      differences: reasons(words: wordsOfXapian, substring: "compares forms of characters")),
  ]

  private static let wordsOfSQLite = """
    with unicode61 ends words at each apostrophe, full stop and underscore, joins Chinese and Japanese characters, and \
    folds no forms of characters
    """
  private static let foldingOfLike = "has LIKE for substrings, which compares accents and forms of characters"
  private static let wordsOfTantivy = """
    ends words at each apostrophe, full stop and underscore, joins Chinese and Japanese characters, and folds accents of \
    Latin letters only
    """
  private static let wordsOfXapian = "compares accents, and has other rules for punctuation in words"

  private static func reasons(words: String, substring: String) -> [TextQuery.Kind: String] {
    [
      .all: words, .any: words, .phrase: words, .prefix: words, .fuzzy: words, .substring: substring,
      .regularExpression: substring,
    ]
  }
}
