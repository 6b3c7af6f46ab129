import Foundation
import TestSupport
import Testing

/// Stores of which a part is damaged or missing: commands print the rest, and say what to do.
@Suite struct ToolDamageTests {
  private let made: ToolStore

  init() throws { made = try ToolStore() }

  private func file(_ suffix: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: made.path)
    return made.path + "/" + (try #require(names.first { $0.hasSuffix(suffix) }, "\(names)"))
  }

  @Test func `info prints the rest if named buffers are damaged`() throws {
    let url = URL(filePath: try file("named_buffers.kch"))
    try Data(count: Data(contentsOf: url).count).write(to: url)
    let run = try made.run("info", made.path)
    #expect(run.status == 1, "\(run.messages)")
    #expect(run.text.contains("36, and damaged named buffers") && run.text.contains("\nDamage  "), "\(run.text)")
    #expect(run.lines.contains { $0.hasPrefix("Song ") })
    struct Info: Decodable {
      let recordCount: Int
      let namedBufferCount: Int?
      let damage: String?
    }
    let json = try made.run("info", "--json", made.path)
    let info = try json.document(Info.self)
    #expect(json.status == 1 && info.recordCount == 36 && info.namedBufferCount == nil && info.damage != nil)
  }

  @Test(arguments: ["info", "verify", "compact"]) func `a missing superblock leads to salvage`(
    _ command: String
  ) throws {
    try FileManager.default.removeItem(atPath: made.path + "/superblock")
    let run = try made.run(command, made.path)
    #expect(run.status == 3 && run.messages.contains("todana store salvage \(made.path) NEW"), "\(run.messages)")
    #expect(!run.messages.contains("pass it before"))
    #expect(try made.run("salvage", made.path, made.directory.path("new")).status <= 1)
    #expect(try made.run("info", made.directory.path("new")).text.contains("36, and 2 named buffers"))
    let other = try ToolRun("store", command, made.directory.path)
    #expect(other.status == 3 && !other.messages.contains("salvage"), "\(other.messages)")
  }

  @Test func `a missing file is one problem`() throws {
    try FileManager.default.removeItem(atPath: file("-Song.kch.sums"))
    let run = try made.run("verify", made.path)
    #expect(run.status == 1 && run.lines.count { $0.contains("-Song.kch.sums") } == 1, "\(run.text)")
    #expect(run.text.contains(": 1 damaged part."), "\(run.text)")
    struct Report: Decodable {
      let problemCount: Int
      let damageCount: Int
      let problems: [Problem]
      struct Problem: Decodable {}
    }
    let report = try made.run("verify", "--json", made.path).document(Report.self)
    #expect(report.problemCount == 1 && report.damageCount == 1 && report.problems.count == 1)
  }
}
