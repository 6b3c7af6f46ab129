import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaDocuments

@Suite struct ImportingTests {
  let directory: TemporaryDirectory
  let store: Store
  let rows: DocumentCollection

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    store = try Store(backend: EveryBackend.inMemory.open(in: directory), classes: [])
    rows = try store.documents("rows")
  }

  private func file(_ text: String, _ name: String = "file") throws -> String {
    try file(Data(text.utf8), name)
  }

  private func file(_ bytes: Data, _ name: String = "file") throws -> String {
    let path = directory.path(name)
    try bytes.write(to: URL(filePath: path))
    return path
  }

  private func all() throws -> [String] { try rows.find("TRUE").map { $0.value.description } }

  /// Imports a text, and returns the error.
  private func failure(
    _ text: String, _ format: RowFormat, _ options: ImportOptions = ImportOptions()
  ) throws
    -> ImportError
  {
    try failure(Data(text.utf8), format, options)
  }

  private func failure(
    _ bytes: Data, _ format: RowFormat, _ options: ImportOptions = ImportOptions()
  ) throws
    -> ImportError
  {
    let path = try file(bytes)
    return try #require(throws: ImportError.self) { try rows.importRows(from: path, as: format, options: options) }
  }

  @Test func `JSON lines are imported`() throws {
    let path = try file(
      "\u{FEFF}{\"a\": 1}\r\n\n  \t\n{\"a\": {\"$date\": \"2026-11-30T08:15:21Z\"}, \"ä\": [\"\\n\"]}")
    #expect(try rows.importJSONLines(from: path) == 2)
    #expect(try all() == [#"{"a":1}"#, #"{"a":{"$date":"2026-11-30T08:15:21Z"},"ä":["\n"]}"#])
    #expect(!store.hasUnsavedChanges)
    #expect(try rows.importJSONLines(from: file("")) == 0)
  }

  @Test func `errors of JSON lines have a place`() throws {
    let error = try failure("{\"a\": 1}\r\n\n{\"ä\": tru}\n{}", .jsonLines())
    #expect(error.code == .invalidText)
    #expect(error.lineNumber == 3)
    #expect(error.column == 8 || error.column == 7 || error.column == 10)
    #expect(error.savedRowCount == 1)
    #expect(try rows.count() == 1)
    #expect(try failure("{}\n3", .jsonLines()).lineNumber == 2)
    #expect(try failure("{}\n[]", .jsonLines()).code == .invalidRow)
    #expect(try failure(Data([0xFF, 0xFE, 0x7B, 0]), .jsonLines()).code == .wrongEncoding)
    #expect(try failure(Data([0x7B, 0x22, 0xFF, 0x22]), .jsonLines()).code == .invalidText)
    let long = try failure(
      "{}\n{\"a\": \"\(String(repeating: "x", count: 1 << 20))\"}\n", .jsonLines(),
      ImportOptions(rowByteLimit: 1000))
    #expect(long.code == .tooLarge)
    #expect(long.lineNumber == 2)
  }

  @Test func `bad rows are skipped`() throws {
    let long = String(repeating: "x", count: 500_000)
    let path = try file("{\"n\":1}\n{\n{\"n\":2}\n\"\(long)\"\n[1]\n{\"n\":3}\n")
    var errors: [ImportError] = []
    let options = ImportOptions(batchSize: 2, errorPolicy: .skip { errors.append($0) }, rowByteLimit: 1000)
    let summary = try rows.importRows(from: path, as: .jsonLines(), options: options)
    #expect(summary == ImportSummary(rowCount: 3, skippedRowCount: 3))
    #expect(errors.map(\.lineNumber) == [2, 4, 5])
    #expect(try rows.values(at: ["n"]).map { $0[0]?.int } == [1, 2, 3])
  }

  @Test(arguments: [1, 3, 100]) func `rows that are not unique have a line`(batchSize: Int) throws {
    try rows.addIndex("[n]", unique: true)
    let text = (0..<20).map { "{\"n\": \($0 == 13 ? 5 : $0)}\n" }.joined()
    let error = try failure(text, .jsonLines(), ImportOptions(batchSize: batchSize))
    #expect(error.code == .notUnique)
    #expect(error.lineNumber == 14)
    #expect(error.savedRowCount == 13)
    #expect(try rows.count() == 13)
    // The position is before the row.
    var lines: [Int?] = []
    let options = ImportOptions(errorPolicy: .skip { lines.append($0.lineNumber) }, resume: true)
    #expect(try rows.importJSONLines(from: directory.path("file"), options: options) == 6)
    #expect(lines == [14])
    #expect(try rows.values(at: ["n"]).compactMap { $0[0]?.int } == (0..<20).filter { $0 != 13 })
    #expect(try store.namedBufferNames().allSatisfy { !$0.hasPrefix("import") })
  }

  @Test func `an import is resumed, but only of the same file`() throws {
    let text = (0..<100).map { "{\"n\": \($0)}\n" }.joined()
    let path = try file(text)
    struct Stop: Error {}
    let stopping = ImportOptions(batchSize: 10) { if $0.rowCount == 40 { throw Stop() } }
    for (format, path) in [(RowFormat.jsonLines(), path)] {
      #expect(throws: Stop.self) { try rows.importRows(from: path, as: format, options: stopping) }
      #expect(try rows.count() == 40)
      let unfinished = try #require(throws: ImportError.self) { try rows.importRows(from: path, as: format) }
      #expect(unfinished.code == .unfinished)
      let other = try failure(text.replacing("99", with: "98"), format, ImportOptions(resume: true))
      #expect(other.code == .otherFile || other.code == .unfinished)
      _ = try file(text)
      #expect(try rows.importRows(from: path, as: format, options: ImportOptions(resume: true)).rowCount == 60)
      #expect(try rows.values(at: ["n"]).compactMap { $0[0]?.int } == Array(0..<100))
      let none = try #require(throws: ImportError.self) {
        try rows.importRows(from: path, as: format, options: ImportOptions(resume: true))
      }
      #expect(none.code == .nothingToResume)
    }
  }

  @Test func `JSON arrays, property lists and CSV are resumed`() throws {
    struct Stop: Error {}
    for (number, format) in [RowFormat.jsonArray(), .propertyList(), .csv(), .propertyList(isBinary: true)].enumerated()
    {
      let source = try store.documents("source \(number)")
      try source.insert(contentsOf: (0..<100).map { ["n": DocumentValue($0), "t": DocumentValue("a,\"\n\($0)")] })
      try store.saveChanges()
      let path = directory.path("file \(number)")
      #expect(try source.exportRows(to: path, as: format) == 100)
      let target = try store.documents("target \(number)")
      let stopping = ImportOptions(batchSize: 7) { if $0.rowCount == 42 { throw Stop() } }
      #expect(throws: Stop.self) { try target.importRows(from: path, as: format, options: stopping) }
      #expect(try target.count() == 42)
      #expect(try target.importRows(from: path, as: format, options: ImportOptions(resume: true)).rowCount == 58)
      #expect(try target.find("TRUE").map(\.value) == source.find("TRUE").map(\.value))
    }
  }

  @Test func `unsaved changes are refused`() throws {
    try rows.insert(["n": 1])
    #expect(try failure("{}", .jsonLines()).code == .unsavedChanges)
    #expect(store.hasUnsavedChanges)
  }

  @Test func `a cancelled task ends an import`() async throws {
    let path = try file((0..<1000).map { "{\"n\": \($0)}\n" }.joined())
    let directory = directory
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      let store = try Store(backend: EveryBackend.inMemory.open(in: directory), classes: [])
      let rows = try store.documents("rows")
      return try #require(throws: ImportError.self) { try rows.importJSONLines(from: path) }
    }
    task.cancel()
    let error = try await task.value
    #expect(error.code == .cancelled)
    #expect(error.savedRowCount == 63)
  }

  @Test func `JSON arrays are imported, and errors have a place`() throws {
    let text = "\u{FEFF} [\n{\"a\": \"],}\\\"\"} , {\"a\": [1, {}]}\n,{}]\n "
    #expect(try rows.importRows(from: file(text), as: .jsonArray()).rowCount == 3)
    #expect(try all() == [#"{"a":"],}\""}"#, #"{"a":[1,{}]}"#, "{}"])
    #expect(try rows.importRows(from: file("[]"), as: .jsonArray()).rowCount == 0)
    // Each beginning of an array is an error.
    let array = Array("[{\"a\": [1, \"]\"]}, {\"b\": {}}]".utf8)
    for count in 0..<array.count {
      let error = try failure(Data(array[..<count]), .jsonArray())
      #expect(error.code == .invalidText, "\(count)")
      try rows.forgetUnfinishedImport()
    }
    for text in ["{}", "[,]", "[{},]", "[{} {}]", "[{}]x", "[{}}", "[1 2]"] {
      let error = try #require(throws: ImportError.self, "\(text)") {
        try rows.importRows(from: file(text), as: .jsonArray())
      }
      #expect(error.lineNumber == 1)
      try rows.forgetUnfinishedImport()
    }
    let error = try failure("[\n{},\n  {\"ä\": x}]", .jsonArray())
    #expect(error.lineNumber == 3)
    #expect(error.column == 9 || error.column == 8)
  }
}
