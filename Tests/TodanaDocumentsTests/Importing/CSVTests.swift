import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaDocuments

@Suite struct CSVTests {
  let directory: TemporaryDirectory
  let store: Store
  let rows: DocumentCollection

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    store = try Store(backend: EveryBackend.inMemory.open(in: directory), classes: [])
    rows = try store.documents("rows")
  }

  private func read(_ text: String, _ format: CSVFormat = CSVFormat()) throws -> [String] {
    try read(Data(text.utf8), format)
  }

  private func read(_ bytes: Data, _ format: CSVFormat = CSVFormat()) throws -> [String] {
    // Pieces of one byte find all errors at the ends of pieces.
    var pieces = Array(bytes)[...]
    let input = ByteInput(name: "file") { pieces.popFirst().map { [$0] } ?? [] }
    let source = try CSVSource(input, format, from: nil, rowByteLimit: 1 << 20)
    var values: [String] = []
    while let row = try source.next() { values.append(row.value.description) }
    return values
  }

  private func failure(_ text: String, _ format: CSVFormat = CSVFormat()) throws -> ImportError {
    try #require(throws: ImportError.self, "\(text)") { try read(text, format) }
  }

  @Test func `fields are read as RFC 4180 says`() throws {
    #expect(
      try read("\u{FEFF}a,b\r\n1,\"x,\"\"\r\ny\"\r\n\r\n ,\"\"\r\n,-0.5\r") == [
        #"{"a":1,"b":"x,\"\r\ny"}"#, #"{"a":" ","b":""}"#, #"{"b":-0.5}"#,
      ])
    #expect(
      try read("a;b\n1;2", CSVFormat(delimiter: ";", columnNames: ["x", "y"])) == [
        #"{"x":"a","y":"b"}"#, #"{"x":1,"y":2}"#,
      ])
    #expect(try read("").isEmpty)
    #expect(try read("a,b").isEmpty)
  }

  @Test func `values are inferred if they are written back`() throws {
    let fields = [
      "7", "007", "+7", "-0", "1e3", "1.50", "1.5", "true", "TRUE", "2026-11-30T08:15:21Z", "2026-11-30",
      "99999999999999999999", "nan", "0x10", "1_000",
    ]
    let text = fields.joined(separator: ",")
    let format = CSVFormat(columnNames: fields.indices.map { "c\($0)" })
    let strings = Set(fields).subtracting(["7", "1.5", "true", "2026-11-30T08:15:21Z"])
    let value = try DocumentValue(json: try read(text, format)[0])
    for (position, field) in fields.enumerated() {
      #expect((value["c\(position)"]?.string == field) == strings.contains(field), "\(field)")
    }
    var texts = format
    texts.fieldTypes = .texts
    #expect(try DocumentValue(json: read(text, texts)[0]).fields?.map { $0.value.string } == fields)
  }

  @Test func `columns with dots are nested`() throws {
    let format = CSVFormat(nestsDottedNames: true)
    #expect(try read("a.b,c,a.d.e\n1,2,3", format) == [#"{"a":{"b":1,"d":{"e":3}},"c":2}"#])
    #expect(try read("a.b,a\n1,2") == [#"{"a.b":1,"a":2}"#])
    #expect(try failure("a.b,a\n1,2", format).code == .invalidColumns)
  }

  @Test func `errors have the physical line`() throws {
    func check(_ text: String, _ code: ImportError.Code, _ line: Int) throws {
      let error = try failure(text)
      #expect(error.code == code, "\(text)")
      #expect(error.lineNumber == line, "\(text)")
    }
    try check("a,b\n1,\"x\n\ny\"\n3", .wrongFieldCount, 5)
    try check("a,b\r\n1,2\r\n1,2,3\r\n", .wrongFieldCount, 3)
    try check("a,a\n", .invalidColumns, 1)
    try check("a,b\n1,\"x\n", .unterminatedQuote, 2)
    try check("a,b\n1,2\n1,\"x\"y\n", .invalidText, 3)
    try check("a,b\n1,x\"y\"\n", .invalidText, 2)
    try check("a,b\n1,x\0\n", .wrongEncoding, 2)
    let latin = try #require(throws: ImportError.self) { try read(Data("a\nx\n".utf8) + [0xE4, 0x0A]) }
    #expect(latin.code == .wrongEncoding)
    #expect(latin.lineNumber == 3)
    let wide = try #require(throws: ImportError.self) { try read(Data([0xFF, 0xFE, 0x61, 0])) }
    #expect(wide.message.contains("UTF-16LE"))
    let long = try failure("a\n\"" + String(repeating: "x\n", count: 600_000))
    #expect(long.code == .tooLarge)
    #expect(long.lineNumber == 2)
  }

  @Test func `bad rows are skipped`() throws {
    let path = directory.path("file.csv")
    try Data("a,b\n1,2\n3\n4,\"x\"y\n5,6\n".utf8).write(to: URL(filePath: path))
    var lines: [Int?] = []
    let options = ImportOptions(errorPolicy: .skip { lines.append($0.lineNumber) })
    #expect(try rows.importCSV(from: path, options: options) == 2)
    #expect(lines == [3, 4])
  }

  @Test func `documents are exported, and imported again`() throws {
    try rows.insert(["a": "x,\"y\"\r\nz", "b": ["c": 1.5, "d": [1, nil]], "e": "", "f": nil, "=f": " "])
    try rows.insert(["b": ["c": true], "a": "=1+1"])
    try store.saveChanges()
    let path = directory.path("file.csv")
    #expect(try rows.exportCSV(to: path) == 2)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == "a,b,e,f,=f\n\"x,\"\"y\"\"\r\nz\",\"{\"\"c\"\":1.5,\"\"d\"\":[1,null]}\",\"\",,\" \"\n"
        + "=1+1,\"{\"\"c\"\":true}\",,,\n")
    let nested = CSVFormat(nestsDottedNames: true)
    #expect(try rows.exportCSV(to: path, nested, options: ExportOptions(where: "[e] EXISTS")) >= 0)
    let copy = try store.documents("copy")
    #expect(try rows.exportCSV(to: path, nested) == 2)
    #expect(try copy.importCSV(from: path, nested) == 2)
    #expect(try copy.find("TRUE").map { $0["b.c"] } == [1.5, true])
    #expect(try rows.exportCSV(to: path, CSVFormat(columnNames: ["e"], lineEnding: .crlf)) == 2)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "e\r\n\"\"\r\n\"\"\r\n")
  }

  // Both sides read the other's files: Python's module csv is the reference.
  @Test(arguments: 1...6) func `files are read as Python reads them`(seed: UInt64) throws {
    let script = """
      import csv, json, random, sys
      random.seed(\(seed))
      pieces = ['a', 'ä', ',', '"', '\\n', '\\r', '\\r\\n', ' ', '\\t', ';', '""', '日', '=', "'", '\\\\', '.', '0', '\\ufeff']
      width = random.randint(1, 6)
      rows = [[''.join(random.choice(pieces) for _ in range(random.randint(0, 6))) for _ in range(width)] for _ in range(200)]
      ending = random.choice(['\\n', '\\r\\n', '\\r'])
      quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
      with open(sys.argv[1], 'w', newline='', encoding='utf-8') as f:
        w = csv.writer(f, lineterminator=ending, quoting=quoting)
        w.writerow(['c%d' % i for i in range(width)])
        w.writerows(rows)
      with open(sys.argv[2], 'w', encoding='utf-8') as f:
        for r in csv.reader(open(sys.argv[1], newline='', encoding='utf-8')): f.write(json.dumps(r) + '\\n')
      """
    let (csvPath, jsonPath) = (directory.path("file.csv"), directory.path("file.jsonl"))
    try runPython(script, csvPath, jsonPath)
    func expected(_ path: String) throws -> [[String]] {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode([String].self, from: Data($0.utf8))
      }
    }
    let reference = try expected(jsonPath)
    let names = reference[0]
    let format = CSVFormat(fieldTypes: .texts)
    #expect(try rows.importCSV(from: csvPath, format) == reference.count - 1)
    let read = try rows.find("TRUE").map { row in names.map { row.value.fields?[$0]?.string ?? "" } }
    #expect(read.elementsEqual(reference.dropFirst()) { $0.elementsEqual($1) { Array($0.utf8) == Array($1.utf8) } })
    var written = format
    written.columnNames = names
    try rows.exportCSV(to: csvPath, written)
    try runPython(
      """
      import csv, json, sys
      with open(sys.argv[2], 'w', encoding='utf-8') as f:
        for r in csv.reader(open(sys.argv[1], newline='', encoding='utf-8')): f.write(json.dumps(r) + '\\n')
      """, csvPath, jsonPath)
    let back = try expected(jsonPath)
    #expect(back.elementsEqual(reference) { $0.elementsEqual($1) { Array($0.utf8) == Array($1.utf8) } })
  }

  private func runPython(_ script: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
