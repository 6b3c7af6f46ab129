import Foundation
import TestSupport
import Testing
import Todana

private final class Single: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var added = Date(timeIntervalSinceReferenceDate: 0)

  override class var contentFields: [ContentField] {
    [
      ContentField("title", \Single.title), ContentField("seconds", \Single.seconds),
      ContentField("added", \Single.added),
    ]
  }
  override class var indexes: [Index] { [Index(\Single.seconds)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    added = try buffer.readDate()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeDate(added)
  }
}

@Suite struct ToolQueryTests {
  private struct Row: Decodable {
    struct Fields: Decodable { let title: String }
    let row: RowID
    let fields: Fields
  }
  private struct Count: Decodable { let recordCount: Int }

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("store")
    let store = try Store(.directory(path), classes: [Single.self, Song.self])
    for number in 0..<50 {
      let single = Single()
      single.title = number == 7 ? "Écoute" : "single \(number)"
      single.seconds = UInt32(number * 3)
      single.added = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
      try store.insert(single)
    }
    try store.insert(Song("x"))
    try store.saveChanges()
    try store.close()
  }

  @Test func `records are exported by their fields`() throws {
    let run = try ToolRun("store", "export", path, "Single", "seconds > 143", "--format", "csv")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.lines.first == "title,seconds,added")
    #expect(run.lines.count == 3)
    #expect(run.lines.dropFirst().allSatisfy { $0.hasPrefix("single 4") })
    let target = directory.path("singles.json")
    #expect(try ToolRun("store", "export", path, "Single", "--to", target).status == 0)
    let singles = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: target))) as? [[String: Any]]
    #expect(singles?.count == 50)
    #expect(singles?[7]["title"] as? String == "Écoute")
    #expect(try ToolRun("store", "export", path, "Nothing").status == 4)
  }

  private func rows(_ arguments: String...) throws -> [RowID] {
    let run = try ToolRun(["store", "query", "--json", path, "Single"] + arguments)
    #expect(run.status == 0, "\(run.messages)")
    return try run.values(Row.self).map(\.row)
  }

  @Test func `records are found by conditions, sorted and limited`() throws {
    #expect(try rows("seconds > 140") == [48, 49, 50])
    #expect(try rows("seconds > 140", "--sort", "seconds DESC") == [50, 49, 48])
    #expect(try rows("seconds > 140", "--sort", "seconds DESC", "--offset", "1", "--limit", "1") == [49])
    #expect(try rows("title ==[c] 'ECOUTE'") == [8])
    #expect(try rows("added BETWEEN '2001-01-03' AND '2001-01-04T00:00:00Z'") == [3, 4])
    #expect(try rows().count == 50)
    #expect(try rows("FALSE").isEmpty)
    #expect(try ToolRun("store", "query", path, "Single", "seconds < 30", "--count").lines == ["10"])
    let count = try ToolRun("store", "query", path, "Single", "seconds < 30", "--count", "--json")
    #expect(try count.document(Count.self).recordCount == 10)
    let table = try ToolRun("store", "query", path, "Single", "seconds = 21")
    #expect(table.lines.count == 2)
    #expect(table.lines.last?.contains("title: Écoute, seconds: 21") == true)
  }

  @Test func `wrong conditions, classes and numbers are refused`() throws {
    let wrong = try ToolRun("store", "query", path, "Single", "sekonds > 3")
    #expect(wrong.status == 2)
    #expect(wrong.messages.contains("its fields are \"title\", \"seconds\", \"added\""))
    #expect(try ToolRun("store", "query", path, "Single", "seconds >").status == 2)
    #expect(try ToolRun("store", "query", path, "Single", "--sort", "nothing").status == 2)
    #expect(try ToolRun("store", "query", path, "Single", "--limit", "-1").status == 2)
    #expect(try ToolRun("store", "query", path, "Nothing").status == 4)
    let fieldless = try ToolRun("store", "query", path, "Song")
    #expect(fieldless.status == 4)
    #expect(fieldless.messages.contains("contentFields"))
  }
}
