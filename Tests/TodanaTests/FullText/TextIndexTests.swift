import TestSupport
import Testing
import Todana

/// Declared text indexes: their properties, languages and stop words, and the errors of wrong declarations.
@Suite struct TextIndexTests {
  class Note: StoredObject {
    var title = ""
    var text: String?
    var tags: [String] = []

    convenience init(_ title: String, _ text: String? = nil, tags: [String] = []) {
      self.init()
      (self.title, self.text, self.tags) = (title, text, tags)
    }

    override class var textIndexes: [TextIndex] {
      [
        TextIndex(\Note.title), TextIndex(\Note.title, \Note.text, \Note.tags, name: "all"),
        TextIndex(\Note.text, name: "english", language: .english, stopWords: ["The", "of", "a"]),
        TextIndex(\Note.text, name: "german", language: .german),
        TextIndex(\Note.text, name: "russian", language: .russian),
      ]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      text = try buffer.readOptionalString()
      tags = try buffer.readArray()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeOptionalString(text)
      buffer.writeArray(tags)
    }
  }

  final class Memo: Note {}

  private let store: Store

  init() throws { store = try Store(.inMemory, classes: [Note.self, Memo.self]) }

  private func count(_ expression: TextExpression, in index: String) throws -> Int {
    try store.count(Note.where { $0.matches(expression, in: index) })
  }

  @Test func `the texts of all properties are searched, but each term within one`() throws {
    try store.insert(contentsOf: [
      Note("blue sky", "green", tags: ["red", "light grey"]), Note("blue", nil, tags: ["sky"]), Note("sky", "blue"),
    ])
    #expect(try count("blue sky ", in: "all") == 3)
    #expect(try count(.phrase("blue sky"), in: "all") == 1)
    #expect(try count(.phrase("red light"), in: "all") == 0)
    #expect(try count("green grey", in: "all") == 1)
    #expect(try count("green", in: "title") == 0)
    let typed = "blue -green"
    #expect(try store.count(Note.where { $0.matches(typed, in: "all") }) == 2)
    #expect(try store.count(Note.where { $0.matches("blue", in: "all") && !$0.title.matches("sky") }) == 1)
  }

  @Test func `words are found by their stems`() throws {
    try store.insert(contentsOf: [
      Note("1", "She runs through the houses"), Note("2", "Running a house of cards"), Note("3", "The runner housed"),
    ])
    #expect(try count(.word("run"), in: "english") == 2)
    #expect(try count(.word("house"), in: "english") == 3)
    #expect(try count(.word("run"), in: "all") == 0)
    #expect(try count(.phrase("running a houses"), in: "english") == 1)
    #expect(try count(.near("runs", "house", within: 2), in: "english") == 2)
    // Typed words are prefixes, whose stems count as well.
    #expect(try count("running", in: "english") == 2)
    #expect(try count("runn", in: "english") == 2)
    // Parts of words, and words with changes, are compared as they are written.
    #expect(try count(.substring("hous"), in: "english") == 3)
    #expect(try count(.suffix("ouses"), in: "english") == 1)
    #expect(try count(.fuzzy("hauses"), in: "english") == 1)
  }

  @Test func `accents help to find stems, and then count for nothing`() throws {
    try store.insert(contentsOf: [Note("1", "Die Häuser"), Note("2", "das HAUS"), Note("3", "книгами")])
    #expect(try count(.word("haus"), in: "german") == 2)
    #expect(try count(.word("Häusern"), in: "german") == 2)
    #expect(try count(.word("hauser"), in: "german") >= 1)
    #expect(try count(.word("книга"), in: "russian") == 1)
  }

  @Test func `stop words count for nothing except in longer phrases`() throws {
    try store.insert(contentsOf: [Note("1", "house of cards"), Note("2", "the house"), Note("3", "house cards")])
    #expect(try count("house the of ", in: "english") == 3)
    #expect(try count(.word("the"), in: "english") == 0)
    #expect(try count(.phrase("house of cards"), in: "english") == 1)
    #expect(try count(.prefix("th"), in: "english") == 1)
    #expect(try count(!.word("of") && .word("house"), in: "english") == 3)
  }

  @Test(arguments: TextLanguage.all)
  func `the library has a stemmer for each language`(_ language: TextLanguage) throws {
    try MadeClass.$made.withValue([TextIndex(\MadeClass.title, name: "x", language: language)]) {
      let store = try Store(.inMemory, classes: [MadeClass.self])
      #expect(try store.count(MadeClass.where { $0.matches(.word("x"), in: "x") }) == 0)
    }
  }

  @Test func `each class has its objects, and subclasses are found by a query for both`() throws {
    try store.insert(Note("blue"))
    try store.insert(Memo("blue blue"))
    #expect(try count("blue", in: "title") == 1)
    let query = Note.where { $0.matches("blue", in: "title") }.includingSubclasses().sorted(by: .relevance)
    #expect(try store.fetch(query).map(\.title) == ["blue blue", "blue"])
    #expect(try store.hits(query).map(\.object.title) == ["blue blue", "blue"])
    #expect(try store.hits(query).allSatisfy { $0.score > 0 })
    #expect(try store.hits(Memo.where { $0.matches("blue", in: "title") }).first?.ranges(in: \.title).count == 2)
    try store.saveChanges()
    #expect(try store.fetch(query.limit(1)).map(\.title) == ["blue blue"])
  }

  /// A class whose texts load themselves.
  final class Page: StoredObject {
    @Loaded var title = ""
    @Loaded var text: String?
    override class var textIndexes: [TextIndex] { [TextIndex(\Page.title, \Page.text)] }
    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      text = try buffer.readOptionalString()
    }
    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeOptionalString(text)
    }
  }

  @Test func `properties that load themselves are searched`() throws {
    let backend = try KyotoBackend(.inMemory)
    let store = try Store(backend: backend, classes: [Page.self])
    let page = Page()
    (page.title, page.text) = ("blue", "green")
    try store.insert(page)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Page.self])
    let hits = try other.hits(Page.where { $0.matches("blue green", in: "title, text") && $0.text.matches("green") })
    #expect(hits.map { $0.ranges(in: \.text).count } == [1])
  }

  /// A description of a key path may have an address, so that each process would build the index again.
  @Test func `the definition of an index is the same in each process`() throws {
    let notes = try store.storedIndexes.filter { $0.className == "Note" }
    #expect(
      notes.first { $0.name == "all" }?.definition.filter { $0.hasPrefix("property") } == [
        "property title", "property text", "property tags",
      ])
    let pages = try Store(.inMemory, classes: [Page.self])
    #expect(
      try pages.storedIndexes.map { $0.definition.filter { $0.hasPrefix("property") } } == [
        ["property title", "property text"]
      ])
  }

  @Test func `an unknown index is refused`() throws {
    let error = #expect(throws: StoreError.self) { try count("blue", in: "nothing") }
    #expect(error?.code == .invalidQuery && error.map { "\($0)".contains("nothing") } == true)
  }

  /// A class whose declaration a test chooses.
  final class MadeClass: StoredObject {
    @TaskLocal static var made: [TextIndex] = []
    var title = ""
    var number = 0
    var shortTitle: String { String(title.prefix(3)) }
    override class var textIndexes: [TextIndex] { made }
    override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
  }

  @Test(arguments: [
    [TextIndex(\MadeClass.title), TextIndex(\MadeClass.title)], [TextIndex(\MadeClass.title, name: "")],
    [TextIndex(\MadeClass.title, weights: [1, 2])], [TextIndex(\MadeClass.title, weights: [-1])],
    [TextIndex(\MadeClass.title, weights: [.nan])], [TextIndex(\MadeClass.shortTitle, name: "short")],
    [TextIndex(\Note.title)],
  ])
  func `a wrong declaration is refused when a store is opened`(_ indexes: [TextIndex]) throws {
    MadeClass.$made.withValue(indexes) {
      let error = #expect(throws: StoreError.self) { try Store(.inMemory, classes: [MadeClass.self]) }
      #expect(error?.code == .invalidIndex, "\(error as Any)")
    }
  }
}
