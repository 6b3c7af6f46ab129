import TestSupport
import Testing
import Todana

/// Text conditions in queries: with other conditions, in lists and optional texts, with pending changes and damage.
@Suite struct MatchesConditionTests {
  final class Track: StoredObject {
    var title = ""
    var comment: String?
    var tags: [String] = []
    var seconds = 0

    convenience init(_ title: String, comment: String? = nil, tags: [String] = [], seconds: Int = 0) {
      self.init()
      (self.title, self.comment, self.tags, self.seconds) = (title, comment, tags, seconds)
    }

    override class var indexes: [Index] { [Index(\Track.seconds)] }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      comment = try buffer.readOptionalString()
      tags = try buffer.readArray()
      seconds = try buffer.readInt()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeOptionalString(comment)
      buffer.writeArray(tags)
      buffer.writeInt(seconds)
    }
  }

  private let store: Store

  init() throws {
    store = try Store(.inMemory, classes: [Track.self])
    try store.insert(contentsOf: [
      Track("Kind of Blue", comment: "Live in Paris", tags: ["jazz", "cool jazz"], seconds: 100),
      Track("Blue in Green", tags: ["cool", "jazz ballad"], seconds: 200),
      Track("Écoute la Straße", comment: "", seconds: 300), Track("文件を開くファイル", tags: ["日本"], seconds: 400),
    ])
    try store.saveChanges()
  }

  private func titles(_ query: Query<Track>) throws -> [String] { try store.fetch(query).map(\.title) }

  @Test func `words, phrases and parts are found`() throws {
    #expect(try titles(Track.where { $0.title.matches("blue gre*") }) == ["Blue in Green"])
    #expect(try titles(Track.where { $0.title.matches("ecoute STRASSE") }) == ["Écoute la Straße"])
    #expect(try titles(Track.where { $0.title.matches(.phrase("of blue") || .suffix("oute")) }).count == 2)
    #expect(try titles(Track.where { $0.title.matches(.fuzzy("bleu") && !.word("kind")) }) == ["Blue in Green"])
    let typed = "blu"
    #expect(try titles(Track.where { $0.title.matches(typed) }).count == 2)
    #expect(try titles(Track.where { $0.title.matches(TextExpression(stringLiteral: "!")) }).isEmpty)
    #expect(try titles(Track.where { $0.title.matches("! blue -green") }) == ["Kind of Blue"])
  }

  @Test(arguments: ["文", "件を", "ファイル", "イ", "くフ", "開くファ", "ﾌｧｲﾙ"])
  func `Chinese and Japanese texts are found from one character on`(_ text: String) throws {
    #expect(try titles(Track.where { $0.title.matches(TextExpression(typed: text)) }) == ["文件を開くファイル"])
    #expect(try titles(Track.where { $0.title.matches(.word(text)) }) == ["文件を開くファイル"])
  }

  @Test func `a match lies within one text of a list, and different terms may lie in different ones`() throws {
    #expect(try titles(Track.where { $0.tags.matches("cool jazz ") }).count == 2)
    #expect(try titles(Track.where { $0.tags.matches(.phrase("cool jazz")) }) == ["Kind of Blue"])
    #expect(try titles(Track.where { $0.tags.matches(.near("cool", "ballad", within: 5)) }).isEmpty)
    #expect(try titles(Track.where { $0.tags.matches(!.word("jazz")) }).count == 2)
  }

  @Test func `an optional text has no words if it is nil`() throws {
    #expect(try titles(Track.where { $0.comment.matches("paris") }) == ["Kind of Blue"])
    #expect(try titles(Track.where { $0.comment.matches(.substring("")) }).count == 2)
    #expect(try titles(Track.where { $0.comment.matches(!.word("paris")) }).count == 3)
  }

  @Test func `it is a condition like others`() throws {
    let query = Track.where { $0.title.matches("blue") && $0.seconds > 150 }
    #expect(try titles(query) == ["Blue in Green"])
    #expect(try store.count(query) == 1)
    try store.insert(Track("Blue Monday", seconds: 500))
    #expect(try titles(query.sorted(by: \.seconds)) == ["Blue in Green", "Blue Monday"])
    #expect(try store.delete(query).count == 2)
    #expect(try titles(Track.where { !$0.title.matches("blue") }).count == 2)
    store.discardChanges()
    #expect(try store.update(query) { $0.title = "Green" }.count == 1)
    #expect(try titles(Track.where { $0.title.matches("blue") }) == ["Kind of Blue"])
  }

  @Test func `a condition that cannot be carried out is refused`() throws {
    for expression: TextExpression in [.regularExpression("("), .fuzzy("a", edits: 0)] {
      let error = #expect(throws: StoreError.self) { try titles(Track.where { $0.title.matches(expression) }) }
      #expect(error?.code == .invalidQuery)
    }
  }
}
