import TestSupport

@testable import Todana

/// Texts in twenty scripts, and expressions that find some of them.
struct RandomTexts {
  private static let scripts: [String] = [
    "abcdeéèüßzñøæ", "абвгдежйё", "αβγδεάςσ", "אבגדהלם", "ابجدهوزةىي", "कखगघाीिं", "กขคงาีเแ", "가각나다한글",
    "漢字文件书籍国", "あいうえおかがぱ", "アイウエファルーィ", "გდვზ", "ԱԲԳԴ", "কখগঘা", "கஙசஞா", "ሀለሐመ", "ᐁᐂᐃ", "កខគឃា", "བཀཁག",
    "0123456789٣४",
  ]
  private static let separators = [
    " ", " ", " ", "  ", "\t", "\n", "\u{A0}", "\u{3000}", ", ", ". ", "-", "_", "'", "’", ":", ".", "·", "/",
  ]
  private static let marks = ["\u{301}", "\u{308}", "\u{200D}", "\u{AD}", "\u{3099}"]

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func one<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }

  mutating func shuffled<Value>(_ values: [Value]) -> [Value] { values.shuffled(using: &random) }

  /// Returns up to `count` elements.
  mutating func some<Value>(of values: [Value], upTo count: Int) -> ArraySlice<Value> {
    shuffled(values).prefix(number(0...count))
  }

  private mutating func word() -> String {
    // Some words are too long for the dictionary of a segment, which has their first 200 bytes.
    if number(0...79) == 0 { return String(repeating: one(of: ["ab", "a", "ж"]), count: number(95...205)) }
    let letters = Array(one(of: Self.scripts).unicodeScalars)
    var word = ""
    for _ in 0..<number(1...5) {
      word.unicodeScalars.append(letters[min(number(0...letters.count - 1), number(0...letters.count - 1))])
      if number(0...19) == 0 { word += one(of: Self.marks) }
    }
    return number(0...4) == 0 ? word.uppercased() : word
  }

  mutating func text() -> String {
    var text = number(0...9) == 0 ? one(of: Self.separators) : ""
    for _ in 0..<number(0...8) {
      text += word()
      if number(0...5) > 0 { text += one(of: Self.separators) }
    }
    return text
  }

  /// A word or a part of one of the texts, so that many expressions are found.
  private mutating func part(of texts: [String], words: ClosedRange<Int> = 1...1) -> String {
    let text = one(of: texts)
    if number(0...7) == 0 { return word() }
    let parts = text.split { $0.isWhitespace || $0.isPunctuation }
    guard !parts.isEmpty else { return number(0...3) == 0 ? "" : word() }
    let first = number(0...parts.count - 1)
    return parts[first..<min(parts.count, first + number(words))].joined(separator: " ")
  }

  /// The beginning of a part of a text, as a person may have typed it so far.
  mutating func beginning(like texts: [String]) -> String {
    let part = part(of: texts, words: 1...2)
    let scalars = Array(part.unicodeScalars)
    let count = number(0...3) == 0 ? scalars.count : min(scalars.count, number(1...4))
    let beginning = String(String.UnicodeScalarView(scalars.prefix(count)))
    return number(0...2) == 0 ? changed(beginning) : beginning
  }

  /// The beginning of a part of a text as a regular expression.
  private mutating func literal(of texts: [String]) -> String {
    part(of: texts, words: 1...2).unicodeScalars.prefix(number(2...9)).map { scalar in
      scalar.properties.isAlphabetic ? String(scalar) : "."
    }.joined()
  }

  /// A piece of a text, with one letter in five changed.
  private mutating func piece(of text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    guard !scalars.isEmpty else { return text }
    let first = number(0...scalars.count - 1)
    return String(String.UnicodeScalarView(scalars[first..<min(scalars.count, first + number(1...4))]))
  }

  private mutating func changed(_ word: String) -> String {
    var scalars = Array(word.unicodeScalars)
    guard scalars.count > 1 else { return word }
    for _ in 0..<number(0...3) where scalars.count > 1 {
      let place = number(0...scalars.count - 2)
      switch number(0...3) {
      case 0: scalars.swapAt(place, place + 1)
      case 1: scalars.remove(at: place)
      case 2: scalars[place] = "z"
      default: scalars.insert("y", at: place)
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  mutating func node(like texts: [String], depth: Int) -> TextNode {
    let choice = number(0...(depth > 0 ? 19 : 13))
    switch choice {
    case 0, 1: return .term(.word, part(of: texts))
    case 2: return .term(.phrase, part(of: texts, words: 1...3))
    case 3: return .term(.prefix, String(part(of: texts, words: 1...2).dropLast(number(0...2))))
    case 4: return .term(.suffix, String(part(of: texts, words: 1...2).dropFirst(number(0...2))))
    case 5, 6: return .term(.substring, piece(of: one(of: texts)))
    case 7: return .term(.beginning, String(one(of: texts).prefix(number(0...3))))
    case 8:
      if number(0...2) == 0 { return .term(.whole, one(of: texts)) }
      return .term(.end, String(one(of: texts).suffix(number(0...3))))
    case 9, 10: return .fuzzy(changed(part(of: texts, words: 1...2)), edits: number(1...2))
    case 11, 12:
      return .near(
        (0..<number(2...3)).map { _ in part(of: texts, words: 1...2) },
        distance: number(0...9) == 0 ? number(200...1_000_000) : number(0...3))
    case 13 where number(0...1) == 0:
      let literals = (0..<number(1...4)).map { _ in literal(of: texts) }
      let joint = one(of: ["|", ".*", "[a-zñж]?"])
      return .regularExpression(literals.joined(separator: joint) + (number(0...1) == 0 ? "" : "(\(literals[0])|b)*"))
    case 13:
      let letters = piece(of: one(of: texts)).unicodeScalars.filter { $0.properties.isAlphabetic && $0.value < 0x250 }
      return .regularExpression(letters.map { number(0...1) == 0 ? "[\($0)z]" : "\($0)?" }.joined() + "(a|b.)*")
    case 14, 15: return .joinAll((0..<number(2...3)).map { _ in node(like: texts, depth: depth - 1) })
    case 16, 17: return .joinAny((0..<number(2...3)).map { _ in node(like: texts, depth: depth - 1) })
    default: return .not(node(like: texts, depth: depth - 1))
    }
  }
}
