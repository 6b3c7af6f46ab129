import Foundation
import TestSupport
import Testing
import Todana

/// The report of `todana store verify`, and the names in it and in other reports about damage.
@Suite struct ToolVerifyTests {
  private let made: ToolStore

  init() throws { made = try ToolStore() }

  /// Zeroes a page of a file of the store, at most the last one.
  private func damage(_ suffix: String, page: Int) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: made.path)
    let file = made.path + "/" + (try #require(names.first { $0.hasSuffix(suffix) }, "\(names)"))
    var bytes = try Data(contentsOf: URL(filePath: file))
    let start = min(page, (bytes.count - 1) / 4096) * 4096
    bytes.replaceSubrange(start..<min(bytes.count, start + 4096), with: Data(count: min(4096, bytes.count - start)))
    try bytes.write(to: URL(filePath: file))
  }

  @Test func `verify and info count the same records`() throws {
    let verified = try made.run("verify", made.path)
    #expect(verified.status == 0)
    #expect(verified.lines.last?.hasPrefix("36 records, 2 named buffers and 10 index entries on ") == true)
    #expect(try made.run("info", made.path).text.contains("36, and 2 named buffers"))
  }

  @Test func `the same problem of several rows is one line, and the last line says what to do`() throws {
    let store = try made.open()
    // Records that are too large to be packed together.
    for index in 0..<200 { try store.insert(Song(String(repeating: "\(index) ", count: 400), seconds: 1)) }
    try store.saveChanges()
    try store.close()
    let file = try #require(
      FileManager.default.contentsOfDirectory(atPath: made.path).first { $0.hasSuffix("-Song.kch") })
    let pageCount = try Data(contentsOf: URL(filePath: made.path + "/" + file)).count / 4096
    for page in 1...6 { try damage("-Song.kch", page: pageCount - 1 - page) }
    for page in 20...21 { try damage("-Song.kch", page: pageCount - page) }
    let run = try made.run("verify", made.path)
    #expect(run.status == 1)
    let advice = "Restore a backup, or copy all readable records to a new store: todana store salvage \(made.path) NEW"
    #expect(run.lines.last == advice)
    let rows = run.lines.filter { $0.hasPrefix("Song row") && $0.hasSuffix("The record cannot be read.") }
    #expect(rows.count == 1, "\(run.text)")
    #expect(rows.first?.wholeMatch(of: #/Song rows \d.*, \d.* \(\d+\): The record cannot be read\./#) != nil, "\(rows)")
  }

  @Test(arguments: [0, 9]) func `no internal name of an index is printed`(_ page: Int) throws {
    try damage("IndexedSong_title.kct", page: page)
    var texts: [String] = []
    for command in ["verify", "info", "classes", "index list", "compact", "salvage"] {
      for json in [[], ["--json"]] {
        let target = command == "salvage" ? [made.directory.path("new\(json.count)")] : []
        let run = try ToolRun(["store"] + command.split(separator: " ").map(String.init) + [made.path] + target + json)
        texts.append(run.text + run.messages)
      }
    }
    for text in texts {
      #expect(!text.contains("\0") && !text.contains("u0000") && !text.contains("index IndexedSong"), "\(text)")
    }
    #expect(texts[0].contains("IndexedSong: Index \"title\": "), "\(texts[0])")
  }

  @Test func `only indexes are damaged, so verify advises to rebuild them`() throws {
    try damage("IndexedSong_title.kct", page: 9)
    let run = try made.run("verify", made.path)
    #expect(run.status == 1)
    #expect(
      run.lines.last == "Only indexes are damaged. Rebuild them: todana store index rebuild \(made.path) CLASS",
      "\(run.text)")
    #expect(try made.run("index", "rebuild", made.path, "IndexedSong").status == 0)
    #expect(try made.run("verify", made.path).status == 0)
  }

  @Test(arguments: [["info"], ["verify"], ["compact"], ["backup", "copy"], ["dump"]])
  func `a quiet command does not report that it waits`(_ words: [String]) throws {
    let store = try made.open()
    let arguments = ["store"] + [words[0], made.path] + words.dropFirst().map { made.directory.path($0) }
    let quiet = try ToolRun(arguments + ["--wait", "0.1", "--quiet"])
    #expect(quiet.status == 3 && !quiet.messages.contains("waiting for"), "\(quiet.messages)")
    let other = try ToolRun(arguments + ["--wait", "0.1"])
    #expect(other.messages.contains("waiting for \(made.path)"), "\(other.messages)")
    try store.close()
  }

  @Test func `the class comes before the index`() throws {
    let run = try made.run("index", "rebuild", made.path, "title", "IndexedSong")
    #expect(run.status == 2 && run.messages.contains("pass the class before the index"), "\(run.messages)")
  }

  @Test func `one backup of a series is removed, and the others stay complete`() throws {
    let series = made.directory.path("series")
    for index in 0..<4 {
      let store = try made.open()
      try store.insert(Song("backup \(index)"))
      try store.saveChanges()
      try store.close()
      #expect(try made.run("backup", "--series", made.path, series).status == 0)
    }
    struct Backup: Decodable { let number: Int }
    func numbers() throws -> [Int] {
      try ToolRun("store", "backups", "list", "--json", series).values(Backup.self).map(\.number)
    }
    #expect(try ToolRun("store", "backups", "remove", series, "2").status == 0)
    #expect(try numbers() == [1, 3, 4])
    #expect(try ToolRun("store", "backups", "remove", series, "4").status == 0)
    #expect(try numbers() == [1, 3])
    #expect(try ToolRun("store", "backups", "verify", series).status == 0)
    for number in ["1", "3"] {
      let restored = made.directory.path("restored \(number)")
      #expect(try ToolRun("store", "restore", series, restored, "--number", number).status == 0)
      #expect(try ToolRun("store", "verify", restored).status == 0)
    }
    #expect(try ToolRun("store", "backups", "remove", series, "2").status == 3)
    #expect(try ToolRun("store", "backups", "remove", series, "1").status == 0)
    let last = try ToolRun("store", "backups", "remove", series, "3")
    #expect(last.status == 4 && last.messages.contains("only backup"), "\(last.messages)")
    #expect(try numbers() == [3])
    #expect(try made.run("backup", "--series", made.path, series).status == 0)
    #expect(try numbers() == [3, 4])
    #expect(try ToolRun("store", "backups", "verify", series).status == 0)
  }

  @Test func `a sample of less than one percent is not called zero`() throws {
    let archive = try ToolArchive()
    try archive.add("key")
    #expect(try archive.run("verify", "--sample", "0.2").text.contains("only 0.2 % of the content"))
    #expect(try archive.run("verify", "--sample", "5%").text.contains("only 5 % of the content"))
  }
}
