import TestSupport
import Testing

@testable import Todana

/// Segments of text indexes, whose searches are compared with tests of the texts.
@Suite struct TextSegmentTests {
  struct Options: CustomTestStringConvertible {
    var keepsPositions = false
    var findsSubstrings = true
    var language: TextLanguage?
    var columnCount = 1

    var testDescription: String {
      [
        keepsPositions ? "positions" : nil, findsSubstrings ? "substrings" : nil, language?.name,
        "\(columnCount) columns",
      ].compactMap(\.self).joined(separator: ", ")
    }
  }

  static let options: [Options] = [
    Options(), Options(keepsPositions: true), Options(keepsPositions: true, findsSubstrings: false, columnCount: 2),
    Options(keepsPositions: true, language: .german, columnCount: 3), Options(language: .english, columnCount: 2),
  ]

  @Test(arguments: options, RandomSeeds.seeds([1], new: 1, long: 20))
  func `searches find what tests of the texts find`(_ options: Options, _ seed: UInt64) throws {
    var trial = try Trial(options, seed: seed)
    for _ in 0..<3 {
      try trial.addSegment()
      for _ in 0..<60 { try trial.search(in: trial.segments.count - 1) }
    }
    try trial.merge()
    for _ in 0..<100 { try trial.search(in: 0) }
    // Many are found, and positions decide most of them.
    #expect(trial.foundCount > 100, "\(trial.foundCount)")
    #expect(trial.sureCount > 50, "\(trial.sureCount) of \(trial.foundCount)")
    if options.keepsPositions, options.findsSubstrings, options.columnCount == 1 {
      #expect(trial.testedCount < trial.sureCount, "\(trial.testedCount) tested, \(trial.sureCount) sure")
    }
  }

  @Test func `words that are too long for the dictionary are found`() throws {
    var trial = try Trial(Options(keepsPositions: true), seed: 1)
    let long = String(repeating: "ab", count: 150)
    try trial.addSegment(of: [[long], [long + "c x"], ["x \(long.dropLast(2))"], [String(long.prefix(200))], ["y"]])
    for part in [long, long + "c", String(long.prefix(200)), String(long.prefix(199)), "ab", "c"] {
      for node in [
        TextNode.term(.word, part), .term(.prefix, part), .term(.suffix, part), .term(.substring, part),
        .term(.phrase, part + " x"), .near([part, "x"], distance: 3), .fuzzy(part, edits: 1),
        .not(.term(.word, part)), .term(.whole, part),
      ] {
        try trial.check(node, in: 0)
      }
    }
  }

  /// Words with common beginnings share the work of the test, and beginnings that exclude many are skipped.
  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 30))
  func `similar words are found among many`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func word(_ lengths: ClosedRange<Int>) -> String {
      String((0..<Int.random(in: lengths, using: &random)).map { _ in "aaabbcдж".randomElement(using: &random) ?? "a" })
    }
    let words = Set((0..<3000).map { _ in word(1...9) })
    var trial = try Trial(Options(), seed: seed)
    try trial.addSegment(of: words.map { TextList.one($0) })
    let segment = try trial.segments[0].open()
    var foundCount = 0
    for _ in 0..<60 {
      let pattern = Array(word(2...11).utf8)
      let fuzzy = FuzzyWord(pattern, edits: Int.random(in: 1...3, using: &random))
      let found = try unsafe TextWordList(
        of: [segment], SearchedColumns(numbers: [0], areAll: true),
        .changed(pattern, edits: fuzzy.edits) { unsafe fuzzy.matches($0) }, limit: 10_000)
      let expected = words.filter { unsafe Array($0.utf8).withUnsafeBytes { unsafe fuzzy.matches($0) } }
      #expect(Set(found.words.map { String(decoding: $0.bytes, as: UTF8.self) }) == expected)
      foundCount += expected.count
    }
    #expect(foundCount > 1000, "\(foundCount)")
  }

  @Test(arguments: [0, 3, 254, 255, 256, 300, 1_000_000])
  func `words of two texts of a list are not near each other`(_ distance: Int) throws {
    var trial = try Trial(Options(keepsPositions: true), seed: 1)
    let filler = String(repeating: "x ", count: 254)
    try trial.addSegment(of: [.many(["a", "b"]), .one("a b"), .one("a \(filler)b"), .many(["a \(filler)", "b"])])
    for texts in [["a", "b"], ["b", "a"], ["a x", "b"], ["a", "x b"]] {
      try trial.check(.near(texts, distance: distance), in: 0)
    }
  }

  @Test func `a term in every row has groups of postings`() throws {
    var trial = try Trial(Options(keepsPositions: true), seed: 2)
    // More rows than two windows of a search have, some of them apart.
    try trial.addSegment(of: (0..<18_000).map { ["all \($0 % 1000) \($0 % 3 == 0 ? "third all" : "")"] })
    for node in [
      TextNode.term(.word, "all"), .term(.prefix, "9"), .term(.phrase, "all 77"), .term(.substring, "ll 5"),
      .all([.term(.word, "third"), .term(.word, "999")]), .near(["500", "all"], distance: 0),
      .not(.term(.word, "third")), .any([.term(.word, "1"), .term(.word, "2")]),
    ] {
      try trial.check(node, in: 0)
    }
  }

  @Test func `damaged pages give errors`() throws {
    var random = SeededGenerator(seed: RandomSeeds.next())
    var trial = try Trial(Options(keepsPositions: true, language: .english, columnCount: 2), seed: 3)
    try trial.addSegment(of: (0..<400).map { ["title \($0) of the \($0 % 7)", "lyrics \($0 * $0)"] })
    var failureCount = 0
    for _ in 0..<(LongTests.areEnabled ? 20_000 : 1_000) {
      var damaged = trial
      damaged.damage(0, using: &random)
      do throws(BackendError) {
        for node in [
          TextNode.term(.phrase, "of the"), .term(.prefix, "t"), .term(.suffix, "s"), .term(.substring, "itl"),
          .not(.term(.word, "the")), .near(["title", "the"], distance: 2),
        ] {
          _ = try damaged.found(node, in: 0)
        }
        _ = try damaged.digests(in: 0)
        try damaged.merge(testing: false)
      } catch {
        #expect(error.code == .damaged || error.code == .noMemory, "\(error)")
        failureCount += 1
      }
    }
    #expect(failureCount > 300, "\(failureCount)")
  }
}

/// Segments with the texts of their rows.
private struct Trial {
  let options: TextSegmentTests.Options
  private(set) var segments: [StoredSegment] = []
  private(set) var foundCount = 0
  private(set) var sureCount = 0
  private(set) var testedCount = 0
  private var random: RandomTexts
  private var analyzer = TextAnalyzer()
  private var nextRow: RowID = 1

  init(_ options: TextSegmentTests.Options, seed: UInt64) throws {
    self.options = options
    random = RandomTexts(seed: seed)
    analyzer.stemmer = options.language.flatMap { Stemmer($0) }
  }

  mutating func addSegment() throws {
    try addSegment(
      of: (0..<random.number(1...200)).map { _ in (0..<options.columnCount).map { _ in random.text() } })
  }

  /// Adds a segment with rows of which each has one text a property, and sometimes a list of texts or none.
  mutating func addSegment(of rows: [[String]]) throws {
    try addSegment(
      of: rows.map { row in
        row.map { text -> TextList in
          switch random.number(0...9) {
          case 0: .many([text, text + " " + random.text()])
          case 1: rows.count > 1000 ? .one(text) : .none
          default: .one(text)
          }
        }
      })
  }

  /// Adds a segment with rows of one property.
  mutating func addSegment(of rows: [TextList]) throws { try addSegment(of: rows.map { [$0] }) }

  mutating func addSegment(of rows: [[TextList]]) throws {
    let builder = try TextSegmentBuilder(
      keepsPositions: options.keepsPositions, findsSubstrings: options.findsSubstrings, stemmer: analyzer.stemmer)
    var texts: [RowID: [TextList]] = [:]
    for lists in rows {
      nextRow += RowID(random.number(0...9) == 0 ? random.number(1...1000) : 1)
      texts[nextRow] = lists
      try builder.add(nextRow, lists)
    }
    let pages = SegmentPages()
    let info = try builder.write(to: pages.sink)
    #expect(info.rowCount == rows.count && info.byteCount == pages.byteCount)
    #expect(info.rowIDs.lowerBound == texts.keys.min() && info.rowIDs.upperBound == texts.keys.max())
    #expect(TextSegmentInfo(info.bytes) == info)
    segments.append(StoredSegment(info: info, pages: pages, texts: texts))
  }

  /// Replaces all segments by one, without some of their rows.
  mutating func merge(testing: Bool = true) throws(BackendError) {
    var inputs: [(segment: TextSegment, dropped: [RowID])] = []
    var texts: [RowID: [TextList]] = [:]
    for segment in random.shuffled(segments) {
      let rows = segment.texts.keys.sorted()
      let dropped = rows.filter { _ in random.number(0...5) == 0 }.dropLast(1)
      inputs.append((try segment.open(), Array(dropped)))
      for row in rows where !dropped.contains(row) { texts[row] = segment.texts[row] }
    }
    let pages = SegmentPages()
    let info = try TextSegment.merge(inputs, to: pages.sink)
    if testing { #expect(info.rowCount == texts.count) }
    segments = [StoredSegment(info: info, pages: pages, texts: texts)]
  }

  /// Changes, cuts or removes a page.
  mutating func damage(_ number: Int, using random: inout SeededGenerator) {
    segments[number].pages = SegmentPages(copying: segments[number].pages)
    segments[number].pages.damage(using: &random)
  }

  mutating func search(in number: Int) throws {
    let rows = segments[number].texts.sorted { $0.key < $1.key }
    let texts = random.shuffled(rows.flatMap { $0.value.flatMap(\.all) }).prefix(2)
    try check(random.node(like: texts.isEmpty ? ["x"] : Array(texts), depth: 3), in: number)
  }

  /// Finds the rows of a segment that may have what an expression describes, and whether they are sure to have it.
  func found(
    _ node: TextNode, in number: Int, columns: SearchedColumns? = nil, hidden: [RowID] = []
  ) throws(BackendError) -> [RowID: Bool] {
    let plan = TextPlan(TextExpression(node), columns == nil ? analyzer : .plain)
    guard let query = try TextSegmentQuery(plan) else { return [:] }
    let all = SearchedColumns(numbers: (0..<options.columnCount).map(UInt8.init), areAll: true)
    let search = try TextSearch(try segments[number].open(), query, columns ?? all, hidden: hidden)
    var found: [RowID: Bool] = [:]
    var (rows, areSure, last): ([RowID], [Bool], RowID) = ([], [], 0)
    while true {
      try search.next(into: &rows, &areSure, limit: 50)
      if rows.isEmpty { break }
      for (row, isSure) in zip(rows, areSure) {
        #expect(row > last)
        last = row
        found[row] = isSure
      }
    }
    #expect(found.count <= search.estimate)
    return found
  }

  func digests(in number: Int) throws(BackendError) -> [UInt64] { try segments[number].open().digests() }

  mutating func check(_ node: TextNode, in number: Int) throws {
    let rows = segments[number].texts
    let hidden = random.number(0...2) == 0 ? rows.keys.filter { _ in random.number(0...9) == 0 }.sorted() : []
    // One property, by the plain rules.
    let column = random.number(0...3) == 0 ? random.number(0...options.columnCount - 1) : nil
    let columns = column.map { SearchedColumns(numbers: [UInt8($0)], areAll: options.columnCount == 1) }
    let plan = TextPlan(TextExpression(node), column == nil ? analyzer : .plain)
    try #require(plan.problem == nil)
    let found = try found(node, in: number, columns: columns, hidden: hidden)
    for (row, lists) in rows {
      if hidden.contains(row) {
        #expect(found[row] == nil)
        continue
      }
      let searched = column.map { [lists[$0]] } ?? lists
      let holds = plan.holds(for: .many(searched.flatMap(\.all)))
      switch (holds, found[row]) {
      case (true, true):
        foundCount += 1
        sureCount += 1
      case (true, false): foundCount += 1
      case (false, false): testedCount += 1
      case (false, nil): break
      default:
        Issue.record("\(node) in \(searched): \(String(describing: holds)), not \(String(describing: found[row]))")
      }
    }
  }
}

extension TextList {
  fileprivate var all: [String] {
    var texts: [String] = []
    append(to: &texts)
    return texts
  }
}

private struct StoredSegment {
  let info: TextSegmentInfo
  var pages: SegmentPages
  let texts: [RowID: [TextList]]

  func open() throws(BackendError) -> TextSegment {
    try TextSegment(try TextSegmentTables(info, from: pages.source), pages.source, cache: nil)
  }
}

/// The pages of a segment in memory.
private final class SegmentPages {
  private var pages: [UInt64: [UInt8]] = [:]

  init() {}

  init(copying other: SegmentPages) { pages = other.pages }

  var byteCount: Int { pages.values.reduce(0) { $0 + $1.count } }

  var sink: TextPageSink {
    unsafe TextPageSink { number, bytes throws(BackendError) in
      #expect(number == UInt64(self.pages.count) + 1)
      self.pages[number] = unsafe Array(bytes)
    }
  }

  var source: TextPageSource {
    unsafe TextPageSource { number, buffer throws(BackendError) in
      guard let page = self.pages[number] else { throw BackendError(.damaged, "There is no page \(number).") }
      unsafe buffer.copyBytes(from: page)
      return page.count
    }
  }

  func damage(using random: inout SeededGenerator) {
    guard let number = pages.keys.sorted().randomElement(using: &random), var page = pages[number] else { return }
    switch Int.random(in: 0...9, using: &random) {
    case 0: pages[number] = nil
    case 1: pages[number] = Array(page.prefix(Int.random(in: 0..<page.count, using: &random)))
    default:
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let place = Int.random(in: 0..<min(page.count, 2000), using: &random)
        page[place] = UInt8.random(in: 0...255, using: &random)
      }
      pages[number] = page
    }
  }
}
