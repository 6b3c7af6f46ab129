import SpeedTestHarness

/// Pseudorandom titles with words that are as frequent as those of real titles.
///
/// 15 % of the titles have characters that are not ASCII: accents, or Chinese and Japanese characters. A million titles
/// have exactly 700 with the part "choice".
struct GeneratedCorpus {
  let count: Int
  private let words: Vocabulary
  private let ideographs: Vocabulary

  init(count: Int) {
    self.count = count
    var generator = SeededGenerator(seed: 20_240_607)
    words = .words(using: &generator)
    ideographs = .ideographs(using: &generator)
  }

  func write(to writer: CorpusWriter) throws {
    for index in 0..<count { try writer.add(Array(title(index).utf8)) }
  }

  func title(_ index: Int) -> String {
    var generator = SeededGenerator(seed: UInt64(index))
    let kind = generator.next() % 1000
    var title = kind < 85 ? ideographTitle(using: &generator) : wordTitle(using: &generator)
    if kind >= 85, kind < 150 { title = accented(title, using: &generator) }
    if isChosen(index, perMillion: 700) {
      title += [" choice", " choice", " choice", " choices", " choiceless"].randomElement(using: &generator) ?? ""
    }
    if isChosen(index, perMillion: 60) { title += " garbage collector" }
    if isChosen(index, perMillion: 130) { title += " zqx" }
    return title
  }

  /// Tests whether a title is one of a number per million titles, which are spread evenly, and are at least one.
  private func isChosen(_ index: Int, perMillion: Int) -> Bool {
    let chosen = max(1, count * perMillion / 1_000_000)
    return index * chosen / count != (index + 1) * chosen / count
  }

  private func wordTitle(using generator: inout SeededGenerator) -> String {
    let length = Int.random(in: 7...16, using: &generator)
    var title = ""
    var follower: String?
    for position in 0..<length {
      var word = follower ?? words.draw(using: &generator)
      follower = word == "of" && generator.next() % 100 < 14 ? "the" : nil
      if position == 0 {
        word = word.prefix(1).uppercased() + word.dropFirst()
      } else {
        title += generator.next() % 20 == 0 ? ", " : " "
      }
      title += word
    }
    return title
  }

  private func ideographTitle(using generator: inout SeededGenerator) -> String {
    var title = ""
    for _ in 0..<Int.random(in: 8...20, using: &generator) {
      title += ideographs.draw(using: &generator)
      if generator.next() % 40 == 0 { title += words.draw(using: &generator) }
    }
    return title
  }

  /// Puts an accent on about a third of the vowels, and on one at least.
  private func accented(_ title: String, using generator: inout SeededGenerator) -> String {
    let accents: [Character: Character] = ["a": "á", "e": "é", "i": "í", "o": "ö", "u": "ü"]
    var hasAccent = false
    return String(
      title.map { letter in
        guard let accent = accents[letter], !hasAccent || generator.next() % 3 == 0 else { return letter }
        hasAccent = true
        return accent
      })
  }
}

/// Words with their frequencies, by the law of Zipf and Mandelbrot.
private struct Vocabulary {
  let words: [String]
  /// For each word, the sum of the weights of all words up to it.
  private let sums: [Double]

  init(_ words: [String]) {
    self.words = words
    var sum = 0.0
    sums = words.indices.map { rank in
      sum += 1 / (Double(rank) + 3.7)
      return sum
    }
  }

  func draw(using generator: inout SeededGenerator) -> String {
    let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
    var (low, high) = (0, words.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] > wanted { high = middle } else { low = middle + 1 }
    }
    return words[low]
  }

  /// Returns 40,000 words, of which the first and those that queries need are English.
  static func words(using generator: inout SeededGenerator) -> Vocabulary {
    let common = [
      "the", "of", "and", "to", "a", "in", "for", "is", "file", "name", "with", "or", "be", "this", "that", "option",
      "on", "are", "by", "system", "as", "it", "not", "from", "if", "command", "use", "can", "an", "which",
    ]
    let placed = [
      300: "compress", 500: "compressed", 700: "compression", 900: "house", 1200: "course", 1500: "choose",
      1800: "chose", 2500: "noise", 4000: "garbage", 7000: "collector",
    ]
    let starts = ["b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "ch", "pr", "st", "tr"]
    let vowels = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
    let ends = ["", "", "", "n", "r", "s", "l", "nd", "st"]
    var words = common
    var known = Set(common + placed.values)
    while words.count < 40_000 {
      if let word = placed[words.count] {
        words.append(word)
        continue
      }
      var word = ""
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        for part in [starts, vowels, ends] { word += part.randomElement(using: &generator) ?? "" }
      }
      if generator.next() % 48 == 0 { word += "tion" }
      if known.insert(word).inserted { words.append(word) }
    }
    return Vocabulary(words)
  }

  /// Returns 6,000 words of Chinese and Japanese characters.
  static func ideographs(using generator: inout SeededGenerator) -> Vocabulary {
    let placed = [0: "の", 1: "を", 2: "に", 12: "ファイル", 30: "文件", 60: "件"]
    let characters = (0..<2_500).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x4E00...0x9FA5, using: &generator))
    }
    let katakana = (0x30A2...0x30F3).compactMap { Unicode.Scalar(UInt32($0)) }
    var words: [String] = []
    while words.count < 6_000 {
      if let word = placed[words.count] {
        words.append(word)
        continue
      }
      let source = generator.next() % 4 == 0 ? katakana : characters
      let length = Int.random(in: 1...3, using: &generator)
      var word = String.UnicodeScalarView()
      for _ in 0..<length { if let character = source.randomElement(using: &generator) { word.append(character) } }
      words.append(String(word))
    }
    return Vocabulary(words)
  }
}
