import Foundation
import TestSupport
import Testing
import Todana

/// Dumps, their import, and dumps that are refused.
@Suite struct ToolDumpTests {
  private struct Line: Decodable, Equatable {
    let kind: String
    let `class`: String?
    let number: UInt32?
    let nextRow: RowID?
    let row: RowID?
    let version: UInt8?
    let content: Data?
    let name: String?
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func `an imported dump makes the same store again`(_ wasEncrypted: Bool, _ becomesEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: wasEncrypted)
    let target = try ToolStore(isEncrypted: becomesEncrypted)
    let path = made.directory.path("imported")
    let dump = try made.run("dump", made.path)
    #expect(dump.status == 0)
    let imported = try ToolRun(["store", "import", path] + target.secret, input: dump.text)
    #expect(imported.status == 0)
    #expect(imported.lines == ["Imported 36 records and 2 named buffers."])
    let again = try ToolRun(["store", "dump", path] + target.secret)
    // The first line has the store's id and commit number, which differ.
    #expect(again.lines.dropFirst() == dump.lines.dropFirst())
    #expect(try target.run("verify", path).status == 0)

    let store = try target.open(path)
    let playlist = try #require(try store.fetch(Playlist.self).first)
    try store.load(playlist.songs.filter { (1...10).contains($0.id?.rowID ?? 0) })
    #expect(playlist.songs.count == 40 && playlist.songs.first?.title == "song 0")
    #expect(try store.readNamedBuffer("favourites") { try $0.readReferences(Song.self).count } == 3)
    // No row id is assigned twice, not even that of a deleted object.
    #expect(try store.insert(Node()).rowID > 1)
    #expect(try store.indexes.allSatisfy { $0.isComplete && $0.entryCount == 5 })
    try store.close(discarding: true)
  }

  @Test func `a dump has every record as the library reads it`() throws {
    let made = try ToolStore()
    let lines = try made.run("dump", made.path).values(Line.self)
    let store = try made.open()
    for entry in try store.catalog {
      #expect(lines.contains { $0.kind == "class" && $0.class == entry.name && $0.number == entry.id?.rawValue })
      var records: [RawRecord] = []
      try store.rawRecords(ofClassNamed: entry.name, after: 0) { record, _ in records.append(record) }
      let dumped = lines.filter { $0.kind == "record" && $0.class == entry.name }
      #expect(dumped.map(\.row) == records.map(\.rowID))
      #expect(dumped.map(\.version) == records.map(\.version))
      #expect(dumped.map(\.content) == records.map { Data($0.content) })
    }
    try store.close()
    #expect(lines.filter { $0.kind == "name" }.map(\.name) == ["empty", "favourites"])
  }

  private static let start = #"{"kind":"store","format":1}"#
  private static let song = #"{"kind":"class","class":"Song","number":1,"nextRow":9}"#
  private static let record = #"{"kind":"record","class":"Song","row":1,"version":2,"content":"AQI="}"#
  private static let name = #"{"kind":"name","name":"a","version":1,"content":""}"#

  private static let hostile: [(String, [String])] = [
    ("nothing at all", []),
    ("no JSON", ["hello"]),
    ("half a line", [start, #"{"kind":"cla"#]),
    ("no object", ["[1, 2]"]),
    ("another object", [#"{"a":1}"#]),
    ("a kind that there is not", [#"{"kind":"shop"}"#]),
    ("not UTF-8", ["{\"kind\":\"store\",\"format\":1,\"store\":\"\u{FFFD}\",\"x\":1}"]),
    ("a newer format", [#"{"kind":"store","format":2}"#]),
    ("an older format", [#"{"kind":"store","format":0}"#]),
    ("a record first", [record]),
    ("two beginnings", [start, start]),
    ("a field too many", [start, #"{"kind":"class","class":"Song","number":1,"colour":"red"}"#]),
    ("a field of another kind", [start, #"{"kind":"class","class":"Song","number":1,"row":1}"#]),
    ("a field too few", [start, #"{"kind":"class","number":1}"#]),
    ("a number that is a text", [start, #"{"kind":"class","class":"Song","number":"1"}"#]),
    ("a number with a fraction", [start, #"{"kind":"class","class":"Song","number":1.5}"#]),
    ("a negative number of a class", [start, #"{"kind":"class","class":"Song","number":-1}"#]),
    ("no number of a class", [start, #"{"kind":"class","class":"Song","number":0}"#]),
    ("the largest number of all", [start, #"{"kind":"class","class":"Song","number":4294967295}"#]),
    ("a number that is too large", [start, #"{"kind":"class","class":"Song","number":4294967296}"#]),
    ("an empty name", [start, #"{"kind":"class","class":"","number":1}"#]),
    ("a name with NUL", [start, #"{"kind":"class","class":"a\u0000b","number":1}"#]),
    (
      "a name that is too long",
      [start, #"{"kind":"class","class":"\#(String(repeating: "x", count: 256))","number":1}"#]
    ),
    ("a class twice", [start, song, #"{"kind":"class","class":"Song","number":2}"#]),
    ("a number twice", [start, song, #"{"kind":"class","class":"Other","number":1}"#]),
    ("a number twice, once of the named buffers", [start, song, #"{"kind":"names","number":1}"#]),
    ("a record without a class", [start, record]),
    ("a row twice", [start, song, record, record]),
    ("row 0", [start, song, record.replacing(#""row":1"#, with: #""row":0"#)]),
    ("a negative row", [start, song, record.replacing(#""row":1"#, with: #""row":-1"#)]),
    ("a row above all", [start, song, record.replacing(#""row":1"#, with: #""row":9"#)]),
    ("a row beyond all numbers", [start, song, record.replacing(#""row":1"#, with: #""row":18446744073709551616"#)]),
    (
      "a row that leaves no row id",
      [
        start, #"{"kind":"class","class":"Song","number":1}"#,
        record.replacing(#""row":1"#, with: #""row":18446744073709551615"#),
      ]
    ),
    ("a version that is too large", [start, song, record.replacing(#""version":2"#, with: #""version":256"#)]),
    ("Base64 that was cut off", [start, song, record.replacing("AQI=", with: "AQI")]),
    ("invalid Base64", [start, song, record.replacing("AQI=", with: "A*I=")]),
    ("null", [start, song, record.replacing(#""AQI=""#, with: "null")]),
    ("a class after records", [start, song, record, #"{"kind":"class","class":"Late","number":3}"#]),
    ("a named buffer without a number", [start, song, name]),
    ("a name twice", [start, #"{"kind":"names","number":2}"#, name, name]),
    ("no end", [start, song, record]),
    ("an end with other counts", [start, song, record, #"{"kind":"end","records":2,"names":0}"#]),
    ("a record after the end", [start, song, #"{"kind":"end","records":0,"names":0}"#, record]),
    ("two ends", [start, #"{"kind":"end","records":0,"names":0}"#, #"{"kind":"end","records":0,"names":0}"#]),
  ]

  @Test(arguments: hostile) func `an import refuses a dump with`(_ what: String, _ lines: [String]) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("new")
    for secret in [[], ["--key-file", try keyFile(in: directory)]] {
      let run = try ToolRun(["store", "import", path] + secret, input: lines.map { $0 + "\n" }.joined())
      #expect(run.status == 4, "\(what): \(run.messages)")
      #expect(run.output.isEmpty)
      #expect(run.messages.contains("dump"), "\(run.messages)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0 != "key" } == [])
    }
  }

  @Test func `an import overwrites nothing, and reads files, blank lines and CRLF`() throws {
    let made = try ToolStore()
    let file = made.directory.path("dump")
    let dump = try made.run("dump", made.path).text
    try Data(("\r\n" + dump.replacing("\n", with: "\r\n\n")).utf8).write(to: URL(filePath: file))
    #expect(try ToolRun("store", "import", made.path, file).status == 4)
    let path = made.directory.path("new")
    let run = try ToolRun("store", "import", "--json", path, file)
    #expect(run.status == 0)
    #expect(try run.document([String: Int].self) == ["recordCount": 36, "namedBufferCount": 2])
    #expect(try ToolRun("store", "import", made.directory.path("x"), made.directory.path("nothing")).status == 3)
    #expect(try ToolRun("store", "import", "-", "--passphrase-file", "-").status == 2)
  }

  @Test func `an output that cannot be written is an error`() throws {
    let made = try ToolStore()
    let tool = ChildProcess.path(ofProduct: "todana")
    let shell = try ChildProcess(
      executable: "/bin/sh", ["-c", "\(tool) store dump \"$1\" > /dev/full 2> /dev/null", "sh", made.path])
    #expect(shell.waitForExit() >> 8 == 4)
  }

  private func keyFile(in directory: TemporaryDirectory) throws -> String {
    try Data(ToolStore.key).write(to: URL(filePath: directory.path("key")))
    return directory.path("key")
  }
}
