import TestSupport
import Testing

@testable import Todana

/// Stored text indexes, whose results are compared with tests of all objects.
@Suite struct TextIndexSearchTests {
  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 10), [false, true])
  func `random changes and merges leave each search right`(_ seed: UInt64, _ isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    var trial = try Trial(seed: seed, path: directory.path("store"), isEncrypted: isEncrypted)
    for step in 0..<(LongTests.areEnabled ? 200 : 60) {
      try trial.change()
      if trial.random.number(0...3) == 0 { try trial.merge(leaving: trial.random.number(0...40)) }
      if trial.random.number(0...9) == 0 { try trial.reopen() }
      for _ in 0..<4 { try trial.search() }
      try trial.suggest()
      if step % 20 == 19 { try trial.verify() }
    }
    #expect(trial.foundCount > 100 && trial.indexedCount > 50, "\(trial.foundCount), \(trial.indexedCount)")
    #expect(trial.suggestionCount > 50, "\(trial.suggestionCount)")
  }
}

private final class Note: StoredObject {
  var title = ""
  var body: String?
  var number = 0

  override class var textIndexes: [TextIndex] {
    [
      TextIndex(\Note.title), TextIndex(\Note.title, \Note.body, name: "all", weights: [4, 1], language: .english),
      TextIndex(\Note.body, name: "small", keepsPositions: false, findsSubstrings: false),
    ]
  }

  required init() {}

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeOptionalString(body)
    buffer.writeInt(number)
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    body = try buffer.readOptionalString()
    number = try buffer.readInt()
  }
}

private struct Trial {
  var random: RandomTexts
  let path: String
  let configuration: StoreConfiguration
  private(set) var stores: [Store] = []
  private(set) var foundCount = 0
  private(set) var indexedCount = 0
  private(set) var suggestionCount = 0
  private var nextNumber = 0

  init(seed: UInt64, path: String, isEncrypted: Bool) throws {
    random = RandomTexts(seed: seed)
    self.path = path
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    if isEncrypted { configuration.encryption = .key(Array(repeating: 7, count: 32)) }
    self.configuration = configuration
    try reopen()
  }

  mutating func reopen() throws {
    for store in stores { try store.close() }
    let store = try Store(.directory(path), classes: [Note.self], configuration: configuration)
    stores = [store, try Store(backend: store.backend, classes: [Note.self], configuration: configuration)]
  }

  mutating func change() throws {
    let store = stores[random.number(0...1)]
    for _ in 0..<random.number(1...30) {
      let note = Note()
      fill(note)
      try store.insert(note)
    }
    let all = try store.fetch(Note.all)
    for note in random.some(of: all, upTo: 8) { try store.update(note) { fill($0) } }
    for note in random.some(of: all, upTo: 4) { try store.delete(note) }
    // Some changes stay pending in the store.
    if random.number(0...4) > 0 {
      try store.saveChanges()
    } else {
      try search(store)
      try suggest(in: store)
    }
    if store.hasUnsavedChanges { random.number(0...1) == 0 ? store.discardChanges() : try store.saveChanges() }
  }

  private mutating func fill(_ note: Note) {
    note.title = random.text()
    note.body = random.number(0...3) == 0 ? nil : random.text()
    note.number = nextNumber
    nextNumber += 1
  }

  mutating func merge(leaving limit: Int) throws {
    let store = stores[random.number(0...1)]
    let table = try store.registry.table(for: Note.self)
    try store.mergeTexts(of: table, table.textIndexes, leaving: limit)
  }

  func verify() throws {
    let report = try stores[0].verify()
    #expect(report.problems.isEmpty, "\(report.problems)")
  }

  mutating func search() throws { try search(stores[random.number(0...1)]) }

  private func ranked(_ note: Note, _ index: String) -> [(TextList, Double)] {
    let body = note.body.map { TextList.one($0) } ?? .none
    return index == "all" ? [(.one(note.title), 4), (body, 1)] : [(index == "small" ? body : .one(note.title), 1)]
  }

  mutating func suggest() throws { try suggest(in: stores[random.number(0...1)]) }

  /// Compares the suggestions of each index with the words of all texts.
  private mutating func suggest(in store: Store) throws {
    let all = try store.fetch(Note.all)
    let texts = random.some(of: all, upTo: 3).flatMap { [$0.title, $0.body ?? ""] }
    let typed = random.beginning(like: texts.isEmpty ? ["x"] : texts)
    for index in try store.registry.table(for: Note.self).textIndexes {
      var expected: [TextSuggestion] = []
      let limit = random.number(1...12)
      if var completion = WordCompletion(of: typed) {
        for note in all { #expect(completion.count(try index.texts(of: note))) }
        expected = completion.best(limit).map(TextSuggestion.init)
      }
      let found = try store.suggestions(for: typed, of: Note.self, in: index.name, limit: limit)
      #expect(found == expected, "\(typed) in \(index.name)")
      suggestionCount += found.count
    }
  }

  private mutating func search(_ store: Store) throws {
    // An object with unsaved changes does not have its saved texts, which count otherwise.
    let includingPending = store.hasUnsavedChanges || random.number(0...3) > 0
    let all = try store.fetch(Note.all, includingPending: includingPending)
    let texts = random.some(of: all, upTo: 3).flatMap { [$0.title, $0.body ?? ""] }
    let expression = TextExpression(random.node(like: texts.isEmpty ? ["x"] : texts, depth: 2))
    let index = ["", "title", "all", "small"][random.number(0...3)]
    var query =
      index.isEmpty ? Note.where { $0.title.matches(expression) } : Note.where { $0.matches(expression, in: index) }
    let analyzer = try #require(Note.textIndexes.first { $0.name == index }?.analyzer ?? .plain)
    let plan = TextPlan(expression, analyzer)
    func holds(_ note: Note) -> Bool {
      let body = note.body.map { [$0] } ?? []
      let texts = index == "all" ? [note.title] + body : index == "small" ? body : [note.title]
      return plan.holds(for: .many(texts)) == true
    }
    var expected = all.filter(holds)
    let odd = random.number(0...2) == 0
    if odd {
      query = query.where { $0.number >= 20 }
      expected.removeAll { $0.number < 20 }
    }
    let isRanked = random.number(0...2) == 0 && Relevance(query.specification.condition) != nil
    if !isRanked, random.number(0...3) == 0 {
      query = query.sorted(by: \.number, .descending)
      expected.sort { $0.number > $1.number }
    }
    if isRanked {
      query = query.sorted(by: .relevance)
      var statistics = TextPlan.Statistics(phraseCounts: [Int](repeating: 0, count: plan.phraseCount))
      for note in all { #expect(plan.count(ranked(note, index).map(\.0), in: &statistics)) }
      let scores = expected.map { plan.relevance(ranked($0, index), statistics) ?? -1 }
      expected = zip(expected, scores).sorted { $0.1 > $1.1 }.map(\.0)
    }
    let explanation = try store.explain(query)
    if explanation.access == .text { indexedCount += 1 }
    let offset = random.number(0...3) == 0 ? random.number(0...5) : 0
    let limit = random.number(0...1) == 0 ? random.number(0...9) : nil
    query = query.offset(offset)
    if let limit { query = query.limit(limit) }
    expected = Array(expected.dropFirst(offset).prefix(limit ?? .max))
    foundCount += expected.count
    let found = try store.fetch(query, includingPending: includingPending)
    #expect(found.map(\.number) == expected.map(\.number), "\(expression) in \(index): \(explanation)")
    #expect(try store.count(query, includingPending: includingPending) == expected.count)
    #expect(try store.ids(query, includingPending: includingPending).count == expected.count)
  }
}

extension TextIndexSearchTests {
  @Test func `an index that a subclass declares in another way is not searched for its superclass`() throws {
    let store = try Store(.inMemory, classes: [Letter.self, Reply.self])
    for number in 0..<200 {
      let reply = Reply()
      (reply.subject, reply.quote) = ("subject \(number)", "quote \(number)")
      try store.insert(reply)
    }
    try store.saveChanges()
    try store.buildIndexes()
    let both = Letter.where { $0.matches("quote ", in: "words") }.includingSubclasses()
    #expect(try store.count(both) == 0)
    #expect(try store.count(Reply.where { $0.matches("quote ", in: "words") }) == 200)
    #expect(try store.explain(Reply.where { $0.matches("7 ", in: "words") }).access == .text)
    let subjects = Letter.where { $0.matches("subject 7 ", in: "words") }.includingSubclasses()
    #expect(try store.fetch(subjects).map(\.subject) == ["subject 7"])
  }

  @Test(arguments: [(count: 5000, length: 1), (20, 1 << 20)])
  func `rows are merged in the background if they are many or long`(_ count: Int, _ length: Int) async throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let store = try Store(.directory(directory.path("store")), classes: [Letter.self])
    let text = String(repeating: "a", count: length)
    for number in 0..<count {
      try store.insert(Letter("\(text) \(number)"))
    }
    try store.saveChanges()
    for _ in 0..<6000 {
      if try store.storedIndexes.allSatisfy({ $0.pendingCount == 0 }) { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try store.storedIndexes.map(\.pendingCount) == [0])
    #expect(try store.count(Letter.where { $0.subject.matches("7 ") }) == 1)
    // A few short ones stay pending.
    try store.insert(Letter("short"))
    try store.saveChanges()
    #expect(try store.storedIndexes.map(\.pendingCount) == [1])
    try store.close()
  }

  // Frequent words were searched in all texts, which a store may refuse.
  @Test func `frequent words are counted and ranked by an index, also if scans are refused`() throws {
    var configuration = StoreConfiguration()
    configuration.scans = .refused(above: 100)
    let store = try Store(.inMemory, classes: [Letter.self], configuration: configuration)
    let words = ["the", "of", "to", "in", "and", "a", "is", "for"]
    for number in 0..<500 {
      let letter = Letter()
      letter.subject = words.enumerated().filter { (number >> $0.offset) & 1 == 0 }.map(\.element).joined(
        separator: " ")
      try store.insert(letter)
    }
    try store.saveChanges()
    try store.buildIndexes()
    let expected = (0..<500).count { $0 & 0xFF != 0xFF }
    let query = Letter.where { $0.subject.matches(TextExpression(typed: words.joined(separator: " OR ") + " ")) }
    #expect(try store.explain(query).access == .scan)
    #expect(try store.count(query) == expected && store.ids(query).count == expected)
    #expect(try store.hits(query.sorted(by: .relevance).limit(3)).count == 3)
    #expect(try store.count(Letter.where { $0.subject.matches(!.word("the")) }) == 250)
    #expect(throws: StoreError.self) { try store.fetch(Letter.where { $0.subject.matches(!.word("the")) }) }
    let sorted = Letter.where { $0.subject.matches(!.word("the") && .regularExpression("t")) }.sorted(by: .relevance)
    for limited in [sorted, sorted.limit(3)] {
      #expect(throws: StoreError.self) { try store.fetch(limited) }
      #expect(throws: StoreError.self) { try store.count(limited) }
    }
  }

  // A merge drops segments while the files are visited.
  @Test func `a store is compacted and measured while its texts are merged`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let store = try Store(.directory(directory.path("store")), classes: [Letter.self])
    for round in 0..<8 {
      for number in 0..<1500 {
        try store.insert(Letter("letter \(number) of round \(round)"))
      }
      try store.saveChanges()
      _ = round % 2 == 0 ? try store.spaceUse().count : try store.compact().count
    }
    #expect(try store.count(Letter.where { $0.subject.matches("\"round 7\"") }) == 1500)
    try store.close()
  }

  @Test func `pages and tables of segments are released and read again`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let store = try Store(.directory(directory.path("store")), classes: [Letter.self])
    for number in 0..<300 {
      try store.insert(Letter("subject \(number)"))
    }
    try store.saveChanges()
    try store.buildIndexes()
    let query = Letter.where { $0.matches("subject 77 ", in: "words") }
    for _ in 0..<2 {
      #expect(try store.fetch(query).map(\.subject) == ["subject 77"])
      #expect(store.session.textIndexes.hasSegments)
      try store.releaseMemory()
      #expect(!store.session.textIndexes.hasSegments)
    }
    try store.close()
  }

  @Test func `salvage leaves text indexes out, and they are built again`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, target) = (directory.path("store"), directory.path("salvaged"))
    let store = try Store(.directory(path), classes: [Letter.self])
    for number in 0..<300 {
      try store.insert(Letter("subject \(number)"))
    }
    try store.saveChanges()
    try store.buildIndexes()
    try store.close()
    let report = try Store.salvage(from: path, to: target)
    #expect(report.indexesToBuild == ["Letter: words"] && report.keyspaces.map(\.name) == ["Letter"])
    let salvaged = try Store(.directory(target), classes: [Letter.self])
    #expect(try salvaged.count(Letter.where { $0.matches("subject 7 ", in: "words") }) == 1)
    try salvaged.buildIndexes()
    #expect(try salvaged.explain(Letter.where { $0.matches("7 ", in: "words") }).access == .text)
    #expect(try salvaged.count(Letter.where { $0.matches("subject 7 ", in: "words") }) == 1)
  }
}

private class Letter: StoredObject {
  var subject = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\Letter.subject, name: "words")] }

  required init() {}

  convenience init(_ subject: String) {
    self.init()
    self.subject = subject
  }

  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(subject) }
  override func readContent(from buffer: inout DataBuffer) throws { subject = try buffer.readString() }
}

private final class Reply: Letter {
  var quote = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\Reply.quote, name: "words")] }

  override func writeContent(to buffer: inout DataBuffer) {
    super.writeContent(to: &buffer)
    buffer.writeString(quote)
  }
  override func readContent(from buffer: inout DataBuffer) throws {
    try super.readContent(from: &buffer)
    quote = try buffer.readString()
  }
}
