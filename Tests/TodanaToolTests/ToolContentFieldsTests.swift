import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ToolContentFieldsTests {
  private struct Shown: Decodable {
    struct Fields: Decodable {
      let flag: Bool
      let large: UInt64
      let double: String
      let text: String
      let none: String?
      let bytes: Data
      let numbers: [UInt16?]
    }
    let fields: Fields?
    let content: Data?
  }

  @Test func `values are shown by their fields if the class declared them`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    let store = try Store(.directory(path), classes: [FieldSample.self, WrongFieldSample.self])
    try store.insert(FieldSample())
    try store.insert(WrongFieldSample())
    try store.saveChanges()
    try store.close()
    let fields = try #require(try ToolRun("store", "get", "--json", path, "Sample", "1").document(Shown.self).fields)
    #expect(fields.flag && fields.large == .max && fields.double == "-inf" && fields.text == "Åse\u{1B}")
    #expect(fields.none == nil && fields.bytes == Data([1, 255]) && fields.numbers == [513, nil])
    #expect(try ToolRun("store", "list", "--json", path, "Sample").values(Shown.self).first?.fields?.flag == true)
    var run = try ToolRun("store", "get", path, "Sample", "1")
    #expect(run.lines.count == 16 && run.lines.allSatisfy { $0.count <= 80 })
    #expect(run.lines.contains("flag     true") && !run.text.contains("\u{1B}"))
    run = try ToolRun("store", "list", path, "Sample")
    #expect(run.lines.last?.contains("flag: true, small: -2") == true && !run.text.contains("…"), "\(run.text)")
    #expect(run.lines.last?.contains("numbers: ") == true, "\(run.text)")
    for columns in [60, 100] as [UInt16] {
      let terminal = try PseudoTerminal(columns: columns)
      #expect(try ToolRun(["store", "list", path, "Sample"], runner: terminal.asOutput).status == 0)
      let lines = terminal.text().split(whereSeparator: \.isNewline)
      #expect(lines.last?.count == Int(columns) && lines.last?.hasSuffix("…") == true, "\(lines)")
    }
    #expect(
      try ToolRun("store", "get", "--bytes", path, "Sample", "1").lines.dropFirst().first?.hasPrefix("00000000") == true
    )
    #expect(try ToolRun("store", "get", "--json", path, "WrongFieldSample", "1").document(Shown.self).fields == nil)
    #expect(try ToolRun("store", "get", path, "WrongFieldSample", "1").lines.count == 2)
  }
}
