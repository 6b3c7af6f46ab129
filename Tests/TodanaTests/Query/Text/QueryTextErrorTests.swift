// Errors in queries from texts, and their positions.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct QueryTextErrorTests {
  /// A text that is refused; the expected position is marked by `^`, which is removed from the text.
  struct Refusal: CustomTestStringConvertible, Sendable {
    let text: String
    let position: Int
    let code: QueryTextError.Code
    let words: String
    let arguments: [(any Sendable)?]
    var testDescription: String { text }

    init(_ marked: String, _ code: QueryTextError.Code, _ words: String, _ arguments: (any Sendable)?...) {
      let parts = marked.split(separator: "^", maxSplits: 1, omittingEmptySubsequences: false)
      text = parts.joined()
      position = parts[0].count
      self.code = code
      self.words = words
      self.arguments = arguments
    }
  }

  static let refusals: [Refusal] = [
    Refusal("^", .syntax, "the end of the text"), Refusal("  ^", .syntax, "the end of the text"),
    Refusal("seconds >^", .syntax, "a value"), Refusal("seconds > 1 ^2", .syntax, "the end"),
    Refusal("(seconds > 1^", .syntax, "closing parenthesis"), Refusal("seconds > 1^)", .syntax, "the end"),
    Refusal("seconds > 1 AND^", .syntax, "a condition"), Refusal("^AND seconds > 1", .syntax, "a condition"),
    Refusal("seconds NOT ^7", .syntax, "IN, BETWEEN"), Refusal("seconds IS ^7", .syntax, "NULL"),
    Refusal("seconds BETWEEN 1 ^OR 2", .syntax, "AND and the last value"),
    Refusal("genre IN ^'Blue'", .syntax, "a question mark"), Refusal("genre IN ('a' ^'b')", .syntax, "a comma"),
    Refusal("genre IN ('a',^)", .syntax, "a value"), Refusal("title = ^'abc", .syntax, "no end"),
    Refusal("^`title = 1", .syntax, "no end"), Refusal("^`` = 1", .syntax, "empty"),
    Refusal("title ==^[d] 'x'", .syntax, "[c]"), Refusal("seconds = ^12abc", .syntax, "not a number"),
    Refusal("seconds = ^1.2.3", .syntax, "not a number"), Refusal("seconds = ^-", .syntax, "not a number"),
    Refusal("rating = ^1e", .syntax, "not a number"), Refusal("seconds ^# 1", .syntax, "\"#\""),
    Refusal("seconds ^\u{0}= 1", .syntax, "code 0"), Refusal("seconds ^| 1", .syntax, "\"|\""),
    Refusal("seconds = ^" + String(repeating: "9", count: 200), .syntax, "at most 100"),
    Refusal("title =\r\n^\u{1F469}\u{200D}\u{1F680}", .unknownField, "no field"),

    Refusal("^titel = 1", .unknownField, "Piece has no field \"titel\"; its fields are \"title\", \"seconds\""),
    Refusal("title = 'é' AND ^Title = 1", .unknownField, "Title"), Refusal("^`and` = 1", .unknownField, "and"),

    Refusal("seconds = ^'x'", .typeMismatch, "The field \"seconds\": \"x\" is not a valid UInt32"),
    Refusal("seconds = ^?", .typeMismatch, "-1, of type Int, is not a valid UInt32", -1),
    Refusal("seconds = ^?", .typeMismatch, "is not a valid UInt32", 4_294_967_296),
    Refusal("seconds = ^?", .typeMismatch, "is not a valid UInt32", 1.5),
    Refusal("seconds = ^99999999999999999999999", .typeMismatch, "is not a valid UInt32"),
    Refusal("seconds = ^1.0", .typeMismatch, "1.0 is not a valid UInt32"),
    Refusal("rating = ^1e999", .typeMismatch, "Double"),
    Refusal("rating = ^9007199254740993", .typeMismatch, "Double"),
    Refusal("title = ^1", .typeMismatch, "1 is not a valid String"),
    Refusal("isFavourite = ^1", .typeMismatch, "1 is not a valid Bool"),
    Refusal("genre = ^TRUE", .typeMismatch, "String?"),
    Refusal("seconds = ^title", .typeMismatch, "a field of the same type"),
    Refusal("^seconds", .typeMismatch, "only a Bool"), Refusal("NOT ^tags", .typeMismatch, "only a Bool"),
    Refusal("seconds ^BEGINSWITH 'x'", .typeMismatch, "BEGINSWITH is for texts"),
    Refusal("seconds ^SEARCH 'x'", .typeMismatch, "SEARCH is for texts"),
    Refusal("title ^SEARCH[c] 'x'", .typeMismatch, "SEARCH never counts case"),
    Refusal("title SEARCH ^NULL", .typeMismatch, "SEARCH needs a text"),
    Refusal("seconds ^=[c] 1", .typeMismatch, "[c] is for texts"), Refusal("tags ^= 'x'", .typeMismatch, "CONTAINS"),
    Refusal("tags ^BEGINSWITH 'x'", .typeMismatch, "CONTAINS"), Refusal("album ^< ?", .typeMismatch, "= and !=", nil),
    Refusal("album = ^'x'", .typeMismatch, "AnyObjectID"), Refusal("title CONTAINS ^NULL", .typeMismatch, "not NULL"),
    Refusal("genre IN ^?", .typeMismatch, "an array", "Blue"), Refusal("genre IN ^?", .typeMismatch, "an array", nil),
    Refusal("seconds IN ^?", .typeMismatch, "(number 2 of the list)", [1, -1]),
    Refusal("seconds IN (1, ^-1)", .typeMismatch, "-1 is not a valid UInt32"),
    Refusal("seconds BETWEEN 1 AND ^'x'", .typeMismatch, "\"x\""),

    Refusal("seconds = ? AND title = ^?", .wrongArgumentCount, "2 question marks, but 1 argument was given", 1),
    Refusal("seconds = ?^", .wrongArgumentCount, "1 question mark, but 2 arguments were given", 1, 2),
    Refusal("seconds = 1^", .wrongArgumentCount, "0 question marks", 1),
    Refusal(
      String(repeating: "(", count: 100) + "^(isFavourite" + String(repeating: ")", count: 101), .tooDeep,
      "100 levels"),
    Refusal(String(repeating: "(", count: 100) + "^" + String(repeating: "(", count: 60_000), .tooDeep, "100 levels"),
    Refusal(String(repeating: " ", count: 65_536) + "^ ", .tooLong, "65537 bytes"),
  ]

  @Test(arguments: refusals)
  func `an error says what is wrong and where`(_ refusal: Refusal) throws {
    let error = try #require(throws: QueryTextError.self) {
      try Piece.where(refusal.text, arguments: refusal.arguments)
    }
    #expect(error.code == refusal.code, "\(error)")
    #expect(error.position == refusal.position, "\(error)")
    #expect(error.message.contains(refusal.words), "\(error)")
  }

  @Test func `the place is shown below the line`() throws {
    let error = try #require(throws: QueryTextError.self) {
      try Piece.where("seconds > 200 AND\ntitel = 'Blue'\nAND isFavourite")
    }
    #expect(error.description.hasSuffix("\ntitel = 'Blue'\n^"))
    let long = "seconds = 1 AND " + String(repeating: "é", count: 100) + " = 1"
    let cut = try #require(throws: QueryTextError.self) { try Piece.where(long) }
    #expect(
      cut.description.hasSuffix(
        "\nseconds = 1 AND \(String(repeating: "é", count: 50))…\n\(String(repeating: " ", count: 16))^"))
    let far = try #require(throws: QueryTextError.self) {
      try Piece.where("title = '\(String(repeating: "x", count: 100))' #")
    }
    #expect(
      far.description.hasSuffix("\n…\(String(repeating: "x", count: 48))' #\n\(String(repeating: " ", count: 51))^"))
  }

  @Test func `invalid sort texts are errors, too`() throws {
    for (text, position, code) in [
      ("", 0, QueryTextError.Code.syntax), ("genre,", 6, .syntax), ("genre DESC title", 11, .syntax),
      ("titel", 0, .unknownField), ("tags", 0, .typeMismatch), ("genre, seconds[c]", 14, .typeMismatch),
      ("?", 0, .syntax),
    ] {
      let error = try #require(throws: QueryTextError.self) { try Piece.all.sorted(byText: text) }
      #expect(error.code == code, "\(error)")
      #expect(error.position == position, "\(error)")
    }
  }

  @Test func `an invalid list of fields is an error`() throws {
    let reads: [() throws -> Void] = [
      { _ = try Clash.where("title = ''") }, { _ = try Nameless.where("title = ''") },
      { _ = try Nul.where("title = ''") }, { _ = try Foreign.where("title = ''") },
    ]
    for read in reads {
      let error = try #require(throws: QueryTextError.self) { try read() }
      #expect(error.code == .invalidField, "\(error)")
    }
    let error = try #require(throws: QueryTextError.self) { try Disc.where("title = ''") }
    #expect(error.code == .unknownField)
    #expect(error.message.contains("declares none"))
  }

  private final class Clash: StoredObject {
    var title = ""
    override class var fields: [Field] { [Field("title", \Clash.title), Field("title", \Clash.title)] }
  }

  private final class Nameless: StoredObject {
    var title = ""
    override class var fields: [Field] { [Field("", \Nameless.title)] }
  }

  private final class Nul: StoredObject {
    var title = ""
    override class var fields: [Field] { [Field("ti\u{0}tle", \Nul.title)] }
  }

  private final class Foreign: StoredObject {
    override class var fields: [Field] { [Field("title", \Piece.title)] }
  }
}
