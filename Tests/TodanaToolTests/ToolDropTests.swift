import Foundation
import TestSupport
import Testing
import Todana

/// The removal of a class by `todana store drop`.
@Suite struct ToolDropTests {
  private let made: ToolStore

  init() throws { made = try ToolStore() }

  private func classes() throws -> [String] {
    struct Class: Decodable { let `class`: String }
    return try made.run("classes", "--json", made.path).values(Class.self).map(\.class).sorted()
  }

  @Test(arguments: [false, true]) func `a class goes with its records and indexes`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let run = try made.run("drop", made.path, "IndexedSong", "--yes")
    #expect(
      run.status == 0 && run.lines == ["Removed class IndexedSong with 5 records and 2 indexes."], "\(run.messages)")
    #expect(try made.run("index", "list", "--json", made.path).lines == [])
    #expect(try made.run("list", made.path, "IndexedSong").status == 4)
    #expect(try made.run("verify", made.path).status == 0)
    #expect(try made.run("info", made.path).text.contains("31, and 2 named buffers"))
  }

  @Test func `without a terminal nothing is removed unless it is confirmed by an option`() throws {
    let run = try made.run("drop", made.path, "Song")
    #expect(run.status == 2 && run.messages.contains("--yes"), "\(run.messages)")
    #expect(try classes() == ["IndexedSong", "Node", "Playlist", "Song"])
  }

  @Test(arguments: [("n", Int32(4)), ("", 4), ("y", 0)])
  func `on a terminal the command asks`(_ answer: String, _ status: Int32) throws {
    let words = [ChildProcess.path(ofProduct: "todana"), "store", "drop", made.path, "Song"]
    let tool = try ChildProcess(
      executable: "/usr/bin/script", ["-qec", words.joined(separator: " "), "/dev/null"])
    _ = try #require(tool.output(through: "Remove class Song with 30 records from \(made.path)? [y/N] "))
    tool.write(answer + "\r")
    let shown = tool.remainingLines().joined(separator: "\n")
    #expect(tool.waitForExit() >> 8 == status, "\(shown)")
    #expect(try classes().contains("Song") == (status != 0))
  }

  @Test func `a class that does not exist is reported`() throws {
    let run = try made.run("drop", made.path, "Nothing", "--yes")
    #expect(run.status == 4 && run.messages.contains("Nothing"), "\(run.messages)")
  }

  @Test func `operands in the wrong order get advice`() throws {
    let run = try ToolRun(["store", "drop", "Song", "store", "--yes"], workingDirectory: made.directory.path)
    #expect(run.status == 3 && run.messages.contains("store is a store or archive: pass it before Song"))
  }
}
