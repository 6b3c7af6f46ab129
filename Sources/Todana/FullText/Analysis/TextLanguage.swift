/// A language whose words a text index compares by their stems, so that `running` also finds `runs`.
///
/// The stems are those of the Snowball project's library libstemmer.
public struct TextLanguage: Sendable, Hashable {
  /// The name of the language in English, by which libstemmer knows it.
  public let name: String

  public static let arabic = TextLanguage(name: "arabic")
  public static let armenian = TextLanguage(name: "armenian")
  public static let basque = TextLanguage(name: "basque")
  public static let catalan = TextLanguage(name: "catalan")
  public static let danish = TextLanguage(name: "danish")
  public static let dutch = TextLanguage(name: "dutch")
  public static let english = TextLanguage(name: "english")
  public static let finnish = TextLanguage(name: "finnish")
  public static let french = TextLanguage(name: "french")
  public static let german = TextLanguage(name: "german")
  public static let greek = TextLanguage(name: "greek")
  public static let hindi = TextLanguage(name: "hindi")
  public static let hungarian = TextLanguage(name: "hungarian")
  public static let indonesian = TextLanguage(name: "indonesian")
  public static let irish = TextLanguage(name: "irish")
  public static let italian = TextLanguage(name: "italian")
  public static let lithuanian = TextLanguage(name: "lithuanian")
  public static let nepali = TextLanguage(name: "nepali")
  public static let norwegian = TextLanguage(name: "norwegian")
  public static let portuguese = TextLanguage(name: "portuguese")
  public static let romanian = TextLanguage(name: "romanian")
  public static let russian = TextLanguage(name: "russian")
  public static let serbian = TextLanguage(name: "serbian")
  public static let spanish = TextLanguage(name: "spanish")
  public static let swedish = TextLanguage(name: "swedish")
  public static let tamil = TextLanguage(name: "tamil")
  public static let turkish = TextLanguage(name: "turkish")
  public static let yiddish = TextLanguage(name: "yiddish")

  /// All languages.
  public static let all: [TextLanguage] = [
    arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi, hungarian,
    indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish, swedish,
    tamil, turkish, yiddish,
  ]
}
