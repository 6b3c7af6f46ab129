/// The aliases of a collection: words that stand for parts of the texts of queries.
enum Aliases {
  /// Returns a text in which each word that is an alias is replaced by its meaning.
  ///
  /// Words in brackets, in quotation marks and in backticks are left as they are, and so are words in the meaning of an
  /// alias.
  static func expand(_ text: String, _ aliases: [String: String]) -> String {
    if aliases.isEmpty { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let start = position
      switch bytes[position] {
      case UInt8(ascii: "["): position = BracketedPath.end(in: bytes, from: position) ?? bytes.count
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        position = endOfQuotation(in: bytes, from: position)
      case let byte where beginsWord(byte):
        while position < bytes.count, continuesWord(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        // Keys of a Swift dictionary are equal if their characters are; the bytes decide here.
        if let (_, meaning) = aliases.first(where: { $0.key.utf8.elementsEqual(word.utf8) }) {
          result += meaning.utf8
          continue
        }
      case let byte where continuesWord(byte):
        // A number is no word.
        while position < bytes.count, continuesWord(bytes[position]) { position += 1 }
      default: position += 1
      }
      result += bytes[start..<position]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the reason why a word cannot be an alias; nil if it can.
  static func problem(with word: String) -> String? {
    guard let first = word.utf8.first, beginsWord(first), word.utf8.allSatisfy(continuesWord) else {
      return "the alias \"\(word)\" is no word of letters, digits and underscores"
    }
    let keywords = [
      "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "SEARCH", "IS",
      "NULL", "TRUE", "FALSE", "EXISTS", "ASC", "DESC",
    ]
    return keywords.contains(word.uppercased()) ? "the alias \"\(word)\" is a keyword" : nil
  }

  private static func endOfQuotation(in bytes: [UInt8], from start: Int) -> Int {
    let mark = bytes[start]
    var position = start + 1
    while position < bytes.count {
      if bytes[position] == mark {
        // A doubled mark is part of the text.
        guard position + 1 < bytes.count, bytes[position + 1] == mark else { return position + 1 }
        position += 1
      }
      position += 1
    }
    return position
  }

  private static func beginsWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func continuesWord(_ byte: UInt8) -> Bool {
    beginsWord(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
