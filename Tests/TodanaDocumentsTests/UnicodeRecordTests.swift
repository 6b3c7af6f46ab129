import Foundation
import TestSupport
import Testing
import TodanaDocuments

@testable import Todana

/// The characters of Unicode as documents, with the answers of a Python program that has the same records
/// (`Tests/Independent/characters.py`).
///
/// Python's module `unicodedata` has about 145,000 characters. The short form takes every 97th.
@Suite(.enabled(if: Command.isInstalled("python3"), "needs Python 3")) struct UnicodeRecordTests {
  private static let program = Checkout.file("Tests/Independent/characters.py").path

  private func python(_ arguments: String...) throws -> [UInt8] {
    try Command.run("python3", ["-X", "utf8", Self.program] + arguments)
  }

  private func answer(_ question: String, _ characters: DocumentCollection) throws -> DocumentValue {
    func codes(_ documents: [Document]) -> DocumentValue { DocumentValue(documents.map { $0["code"] ?? .null }) }
    switch question {
    case "fonts by name":
      return codes(
        try characters.find("[decomposition.tag] = ?", "font", orderBy: "[name], [code]", limit: 50, offset: 10))
    case "categories":
      let groups = try characters.summaries(of: "code", groupedBy: "category")
      #expect(try characters.distinctValues(at: "category") == groups.map(\.group))
      return DocumentValue(groups.map { DocumentValue([$0.group, DocumentValue($0.documentCount)]) })
    case "numbers":
      let summary = try characters.summary(of: "numeric")
      return [.init(summary.count), summary.minimum ?? .null, summary.maximum ?? .null]
    case _ where question.hasPrefix("any value "):
      let number = try #require(Int(question.dropFirst(10)))
      return codes(try characters.find(anyValue: number))
    default:
      #expect(try characters.count(question) == characters.find(question).count)
      return codes(try characters.find(question))
    }
  }

  @Test(arguments: LongTests.areEnabled ? [EveryBackend.directory, .encrypted] : [.directory])
  func `queries over the characters of Unicode have Python's answers`(backend: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("characters")
    _ = try python("write", path, LongTests.areEnabled ? "1" : "97")
    let answers = try #require(try DocumentValue(json: Data(python("answer", path))).dictionary)
    #expect(answers.count == 18)
    let backend = try backend.open(in: directory)
    var store = try Store(backend: backend, classes: [])
    let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count > (LongTests.areEnabled ? 100_000 : 1_000))
    for start in stride(from: 0, to: lines.count, by: 20_000) {
      let part = lines[start..<min(start + 20_000, lines.count)]
      let values = try part.map { try DocumentValue(json: Data($0)) }
      try store.documents("characters").insert(contentsOf: values)
      try store.saveChanges()
    }
    func check(_ state: Comment) throws {
      store = try Store(backend: backend, classes: [])
      let characters = try store.documents("characters")
      for (question, expected) in answers {
        #expect(try answer(question, characters) == expected, "\(question), \(state)")
      }
    }
    try check("without indexes")
    let characters = try store.documents("characters")
    let indexes = [
      "[code]", "[category], [code] DESC", "[numeric]", "[name]", "[words[*]]", "[decomposition.to[*]]",
      "[decomposition.tag], [name], [code]", "[combining]", "[name][c]",
    ]
    for index in indexes { try characters.addIndex(index, unique: index == "[code]") }
    try characters.indexEverything()
    try check("with indexes")
    #expect(try store.verify().isSound)
  }
}
