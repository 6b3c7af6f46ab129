import Foundation
import TestSupport
import Testing
import Todana

/// The command-line tool, as the built executable.
@Suite struct ToolTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("store")
    let store = try Store(.directory(path), classes: [Song.self])
    for index in 0..<500 { try store.insert(Song("song \(index)")) }
    try store.saveChanges()
    try store.close()
  }

  @Test func `verify distinguishes sound and damaged stores, and changes neither`() throws {
    var (status, lines) = try run("store", "verify", path)
    #expect(status == 0)
    #expect(lines.last?.hasPrefix("500 records, 0 named buffers and 0 index entries on ") == true)
    #expect(lines.last?.hasSuffix("nothing is damaged.") == true)
    try damage()
    let before = try contents()
    (status, lines) = try run("store", "verify", path)
    #expect(status == 1)
    #expect(lines.contains { $0.hasPrefix("0002-Song.kch, page ") })
    (status, lines) = try run("store", "verify", "--json", path)
    #expect(status == 1)
    struct Verified: Decodable { let damageCount: Int, isSound: Bool, advice: String? }
    let report = try JSONDecoder().decode(Verified.self, from: Data(lines.joined().utf8))
    #expect(report.damageCount > 0 && !report.isSound)
    #expect(report.advice?.contains("todana store salvage") == true)
    #expect(try contents() == before)
  }

  @Test func `salvage makes a new store and reports its losses`() throws {
    try damage()
    let salvaged = directory.path("salvaged")
    var (status, lines) = try run("store", "salvage", path, salvaged)
    #expect(status == 1)
    #expect(lines.first?.hasPrefix("Song: ") == true)
    #expect(lines.last?.hasPrefix("Known to be lost: ") == true)
    let store = try Store(.directory(salvaged), classes: [Song.self])
    let count = try store.count(Song.self)
    #expect((300..<500).contains(count))
    try store.close()
    (status, lines) = try run("store", "verify", salvaged)
    #expect(status == 0)
    (status, lines) = try run("store", "salvage", "--json", path, directory.path("again"))
    #expect(status == 1)
    struct Salvaged: Decodable { let savedCount, lostCount: Int }
    let report = try JSONDecoder().decode(Salvaged.self, from: Data(lines.joined().utf8))
    #expect(report.savedCount == count && report.lostCount == 500 - count)
    (status, _) = try run("store", "salvage", salvaged, directory.path("whole"))
    #expect(status == 0)
  }

  @Test(arguments: [
    ["store", "verify", "nowhere"], ["store", "salvage", "nowhere", "there"], ["store", "salvage", "/", "there"],
    ["store", "info", "nowhere"], ["store", "dump", "/"],
    ["store", "encrypt", "nowhere", "--passphrase-command", "echo x"],
  ]) func `a path that cannot be opened exits with 3`(_ arguments: [String]) throws {
    #expect(try run(arguments).status == 3)
  }

  @Test func `a store in use exits with 3`() throws {
    let store = try Store(.directory(path), classes: [Song.self])
    #expect(try run("store", "verify", path).status == 3)
    #expect(try run("store", "salvage", path, directory.path("salvaged")).status == 3)
    try store.close()
  }

  @Test func `a command that fails and changes nothing exits with 4`() throws {
    #expect(try run("store", "salvage", path, directory.path("")).status == 4)
    #expect(try run("store", "salvage", path, path + "/superblock/below").status == 4)
  }

  @Test(arguments: [
    ["store", "salvage", "one"], ["store", "repair"], ["--frobnicate"], ["store", "get", "one", "Song", "first"],
    ["store", "get", "one", "Song", "-1"], ["store", "list", "one", "Song", "--limit", "x"],
    ["store", "key", "repair"],
    ["store", "get", "one", "Song", "1", "--raw", "--json"],
  ])
  func `invalid arguments exit with 2`(_ arguments: [String]) throws {
    #expect(try run(arguments).status == 2)
  }

  @Test(arguments: [
    ["--version"], ["--help"], ["store", "--help"], ["store", "verify", "--version"], ["store", "--version"], ["store"],
    ["store", "key", "--help"], ["store", "key", "rotate", "--version"], ["store", "import", "--help"],
    ["store", "backups"], ["store", "backups", "list", "--version"], ["store", "dump", "--help"],
  ])
  func `help and versions are available`(_ arguments: [String]) throws {
    let (status, lines) = try run(arguments)
    #expect(status == 0 && !lines.isEmpty)
  }

  @Test func `a command waits for a store in use`() throws {
    let store = try Store(.directory(path), classes: [Song.self])
    let tool = try ChildProcess(product: "todana", ["store", "classes", "--wait", "600", path])
    Thread.sleep(forTimeInterval: 0.3)
    try store.close()
    #expect(tool.remainingLines().count == 2)
    #expect(tool.waitForExit() == 0)
    #expect(try run("store", "classes", "--wait", "-1", path).status == 2)
  }

  @Test func `an interruption ends a command, and leaves no partial result`() throws {
    let store = try Store(.directory(path), classes: [Song.self])
    var tool = try ChildProcess(product: "todana", ["store", "classes", "--wait", "600", path])
    Thread.sleep(forTimeInterval: 0.5)
    kill(pid_t(tool.processID), SIGINT)
    #expect(tool.waitForExit() >> 8 == 130)
    try store.close()

    let imported = directory.path("imported")
    tool = try ChildProcess(product: "todana", ["store", "import", imported])
    tool.write(#"{"kind":"store","format":1}"# + "\n")
    while !FileManager.default.fileExists(atPath: imported + ".partial") { Thread.sleep(forTimeInterval: 0.01) }
    kill(pid_t(tool.processID), SIGTERM)
    #expect(tool.waitForExit() >> 8 == 130)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store"])
  }

  private func run(_ arguments: String...) throws -> (status: Int32, lines: [String]) { try run(arguments) }

  private func run(_ arguments: [String]) throws -> (status: Int32, lines: [String]) {
    let run = try ToolRun(arguments)
    return (run.status, run.lines)
  }

  /// Zeroes a page of records in the middle of the file.
  private func damage() throws {
    let file = path + "/0002-Song.kch"
    var bytes = try Data(contentsOf: URL(filePath: file))
    let page = bytes.count / 2 / 4096 * 4096
    // Records of packs begin with 0xCC, and are at the end of the file.
    for index in max(page, 36864)..<min(bytes.count, max(page, 36864) + 4096) { bytes[index] = 0 }
    try bytes.write(to: URL(filePath: file))
  }

  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      contents[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
    }
    return contents
  }
}
