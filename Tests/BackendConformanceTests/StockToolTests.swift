import Foundation
import TestSupport
import Testing
import Todana

/// The files of a closed store: ordinary Kyoto Cabinet files, which its own tools read.
@Suite(.enabled(if: StockTools.areInstalled, "kchashmgr and kctreemgr are not installed (kyotocabinet-utils)"))
struct StockToolTests {
  @Test func `kchashmgr and kctreemgr accept the files of a closed store`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let backend = try KyotoBackend(.directory(path))
    let keyspaces = try CrashWorkload.Keyspaces(of: backend)
    for number in 1...120 as ClosedRange<UInt64> {
      try CrashWorkload.commit(number, to: backend, keyspaces, durability: .relaxed)
    }
    try backend.close()
    let state = CrashWorkload.State(after: 120)
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    for (part, name) in [(CrashWorkload.Part.songs, "Song.kch"), (.playlists, "Playlist.kch"), (.names, "names.kch")] {
      let file = try #require(names.first { $0.hasSuffix("-" + name) }, "\(names)")
      let inform = try StockTools.run("kchashmgr", "inform", "-st", path + "/" + file)
      #expect(inform.status == 0 && inform.output.contains("count: \(state.records[part.rawValue].count)"), "\(inform)")
      let list = try StockTools.run("kchashmgr", "list", "-px", path + "/" + file)
      #expect(list.status == 0)
      #expect(list.output.split(separator: "\n").count == state.records[part.rawValue].count)
      let check = try StockTools.run("kchashmgr", "check", "-onr", path + "/" + file)
      #expect(check.status == 0, "\(check)")
    }
    let tree = try #require(names.first { $0.contains("Song.title") }, "\(names)")
    let list = try StockTools.run("kctreemgr", "list", "-px", path + "/" + tree)
    #expect(list.status == 0 && list.output.split(separator: "\n").count == 60, "\(list)")
  }
}

private enum StockTools {
  static var areInstalled: Bool { find("kchashmgr") != nil && find("kctreemgr") != nil }

  private static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static func run(_ name: String, _ arguments: String...) throws -> (status: Int32, output: String) {
    let child = try ChildProcess(executable: try #require(find(name)), arguments)
    let output = child.remainingLines().joined(separator: "\n")
    return (child.waitForExit(), output)
  }
}
