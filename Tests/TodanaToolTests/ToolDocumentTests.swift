import Foundation
import TestSupport
import Testing
import Todana

/// Imports and exports of documents by the tool, and changes of collections.
@Suite struct ToolDocumentTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("store")
    try Store(.directory(path), classes: []).close()
  }

  private func run(_ command: String, _ arguments: String..., input: String = "") throws -> ToolRun {
    try ToolRun(["store", command, path] + arguments, input: input)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let file = directory.path(name)
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }

  @Test func `files are imported and exported`() throws {
    let csv = try file("users.csv", "name,age,address.city\nDoe,41,Nice\n\"O,Neil\",,\n")
    let imported = try run("import", csv, "--into", "users", "--nested")
    #expect(imported.status == 0, "\(imported.messages)")
    #expect(imported.lines == ["Imported 2 rows."])
    let lines = try run("export", "users")
    #expect(lines.lines == [#"{"name":"Doe","age":41,"address":{"city":"Nice"}}"#, #"{"name":"O,Neil"}"#])
    let piped = try run("import", "-", "--into", "copy", "--format", "jsonl", "--json", input: lines.text)
    #expect(piped.lines == [#"{"rowCount":2,"skippedRowCount":0}"#], "\(piped.messages)")
    for name in ["a.jsonl", "a.json", "a.csv", "a.plist"] {
      let target = directory.path(name)
      #expect(try run("export", "copy", "--to", target, "--nested").status == 0)
      #expect(try run("import", target, "--into", name, "--nested").status == 0)
      #expect(try run("export", name).lines.count == 2)
      #expect(try run("query", name, "[address.city] = 'Nice'", "--count").lines == ["1"])
    }
    #expect(try run("export", "copy", "[age] > 20", "--format", "csv", "--columns", "name").text == "name\nDoe\n")
  }

  @Test func `errors have a line, and an import is resumed`() throws {
    let rows = try file("rows.jsonl", (0..<25).map { $0 == 17 ? "x\n" : "{\"n\":\($0)}\n" }.joined())
    let failed = try run("import", rows, "--into", "rows", "--batch", "10")
    #expect(failed.status == 4)
    #expect(failed.messages.contains("line 18, column 1"))
    #expect(failed.messages.contains("17 rows are saved"))
    #expect(try run("query", "rows", "--count").lines == ["17"])
    #expect(try run("import", rows, "--into", "rows").status == 4)
    let resumed = try run("import", rows, "--into", "rows", "--resume", "--skip-errors")
    #expect(resumed.status == 1)
    #expect(resumed.lines == ["Imported 7 rows, skipped 1."])
    #expect(try run("query", "rows", "--count").lines == ["24"])
    #expect(try run("import", rows, "--into", "rows", "--resume").status == 4)
    #expect(try run("import", directory.path("none.csv"), "--into", "rows").status == 3)
    #expect(try run("import", rows, "--resume").status == 2)
    #expect(try run("import", path, "--into", "rows").status == 2)
  }

  @Test func `documents are inserted, changed and deleted`() throws {
    #expect(try run("insert", "users", #"{"name":"Doe","age":41}"#).lines == ["Inserted 1 document."])
    #expect(try run("insert", "users", "-", input: "{\"age\":1}\n\n{\"age\":2}\n").lines == ["Inserted 2 documents."])
    #expect(try run("insert", "users", "{").status == 2)
    #expect(try run("insert", "users", "3").status == 4)
    #expect(try run("update", "users", "[age] < 3", "--set", "a.b=[1]", "--count").lines == ["2"])
    #expect(try run("update", "users", "[age] < 3", "--set", "a.b=[1]").lines == ["Changed 2 documents."])
    #expect(
      try run("query", "users", "[a.b] EXISTS", "--sort", "[age] DESC", "--limit", "1").lines == [
        #"{"age":2,"a":{"b":[1]}}"#
      ])
    #expect(try run("delete", "users", "[age] > 1", "--count").lines == ["2"])
    #expect(try run("delete", "users", "[age] > 1").lines == ["Deleted 2 documents."])
    #expect(try run("export", "users").lines == [#"{"age":1,"a":{"b":[1]}}"#])
    #expect(try run("delete", "users", "[age] >").status == 2)
    #expect(try run("delete", "missing", "TRUE").status == 4)
  }
}
