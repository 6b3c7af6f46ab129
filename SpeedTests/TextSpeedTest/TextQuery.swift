/// A query that all subjects answer, each in its own language.
struct TextQuery: Codable, Sendable {
  enum Kind: String, Codable { case all, any, phrase, substring, prefix, fuzzy, regularExpression }

  enum Result: String, Codable {
    /// The most relevant texts.
    case top
    /// The numbers of all texts that were found.
    case ids
    /// The texts that were found.
    case fetched
  }

  var id: String
  var kind: Kind
  var terms: [String]
  /// The number of changes that a fuzzy word may have.
  var edits = 0
  var result: Result
  /// The maximum number of texts; nil for all.
  var limit: Int?

  /// The query as a table shows it.
  var title: String {
    let joined = terms.joined(separator: kind == .any ? " OR " : " ")
    let expression =
      switch kind {
      case .all, .any: joined
      case .phrase: "\"\(joined)\""
      case .substring: "\\*\(joined)\\*"
      case .prefix: "\(joined)\\*"
      case .fuzzy: "\(joined)~\(edits)"
      case .regularExpression: "/\(joined)/"
      }
    switch result {
    case .top: return "\(expression), top \(limit ?? 0)"
    case .ids: return "\(expression), ids"
    case .fetched: return expression + (limit.map { ", first \($0)" } ?? ", all fetched")
    }
  }

  static let all: [TextQuery] = [
    TextQuery(id: "top-rare", kind: .all, terms: ["choice"], result: .top, limit: 10),
    TextQuery(id: "top-and", kind: .all, terms: ["file", "system"], result: .top, limit: 10),
    TextQuery(id: "top-phrase", kind: .phrase, terms: ["garbage", "collector"], result: .top, limit: 10),
    TextQuery(id: "top-common", kind: .all, terms: ["the"], result: .top, limit: 10),
    TextQuery(id: "top-or", kind: .any, terms: ["file", "name", "option"], result: .top, limit: 10),
    TextQuery(id: "part-rare", kind: .substring, terms: ["choice"], result: .fetched),
    TextQuery(id: "part-common-ids", kind: .substring, terms: ["tion"], result: .ids),
    TextQuery(id: "part-common-100", kind: .substring, terms: ["tion"], result: .fetched, limit: 100),
    TextQuery(id: "phrase-common-ids", kind: .phrase, terms: ["of", "the"], result: .ids),
    TextQuery(id: "phrase-common-100", kind: .phrase, terms: ["of", "the"], result: .fetched, limit: 100),
    TextQuery(id: "cjk-1", kind: .substring, terms: ["件"], result: .fetched, limit: 1000),
    TextQuery(id: "cjk-2", kind: .substring, terms: ["文件"], result: .fetched, limit: 1000),
    TextQuery(id: "cjk-4", kind: .substring, terms: ["ファイル"], result: .fetched, limit: 1000),
    TextQuery(id: "latin-2", kind: .substring, terms: ["zq"], result: .fetched, limit: 1000),
    TextQuery(id: "prefix", kind: .prefix, terms: ["compress"], result: .fetched, limit: 1000),
    TextQuery(id: "fuzzy-1", kind: .fuzzy, terms: ["choise"], edits: 1, result: .fetched, limit: 1000),
    TextQuery(id: "fuzzy-2", kind: .fuzzy, terms: ["choise"], edits: 2, result: .fetched, limit: 1000),
    TextQuery(id: "expression", kind: .regularExpression, terms: ["choi[a-z]e"], result: .fetched, limit: 1000),
  ]
}
