import Foundation
import TestSupport
import Testing

/// Commands on archives with damaged or missing files.
@Suite struct ToolArchiveDamageTests {
  let made: ToolArchive

  /// Makes three snapshots; the last two have a file that the first one does not have.
  init() throws {
    made = try ToolArchive(isMade: false)
    #expect(try run("init", "archive", "--plain").status == 0)
    // Content that cannot be compressed, so that it is found in the file.
    try made.write(Self.text("one"), to: "src/one")
    #expect(try run("add", "archive", "src", "--compression", "none").status == 0)
    try made.write(Self.text("two"), to: "src/two")
    #expect(try run("add", "archive", "src", "--compression", "none").status == 0)
    try made.write("small", to: "src/three")
    #expect(try run("add", "archive", "src", "--compression", "none").status == 0)
  }

  private static func text(_ word: String) -> String { (0..<40_000).map { "\(word) \($0)\n" }.joined() }

  private func run(_ arguments: String...) throws -> ToolRun {
    try ToolRun(["archive"] + arguments, workingDirectory: made.directory.path)
  }

  private func file(_ suffix: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: made.path)
    return made.path + "/" + (try #require(names.first { $0.hasSuffix(suffix) }))
  }

  private func damageContent() throws {
    let url = URL(filePath: try file("-Content.kch"))
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.range(of: Data("two 5000\n".utf8)))
    bytes[place.lowerBound] ^= 0x11
    bytes[place.lowerBound + 5] ^= 0x11
    try bytes.write(to: url)
  }

  @Test(arguments: [false, true]) func `sound snapshots are copied, and the others are listed`(_ isJSON: Bool) throws {
    try damageContent()
    #expect(try run("init", "other", "--plain").status == 0)
    let copied = try ToolRun(
      ["archive", "copy", "archive", "other"] + (isJSON ? ["--json"] : []), workingDirectory: made.directory.path)
    #expect(copied.status == 1, "\(copied.messages)")
    let ids = try run("snapshots", "archive", "--json").values(ToolArchive.Snapshot.self).map(\.short)
    #expect(copied.messages.contains("Snapshot \(ids[1]) of ") && copied.messages.contains("Snapshot \(ids[2]) of "))
    #expect(copied.lines.count == (isJSON ? 1 : 2) && copied.text.contains(ids[0]))
    if !isJSON {
      #expect(copied.lines.last == "Copied 1 snapshot. Not copied: 2 damaged snapshots, listed above.")
    }
    #expect(try run("snapshots", "other", "--json").lines.count == 1)
    #expect(try run("verify", "other").status == 0)
  }

  @Test(arguments: [
    ("-Snapshot.kch.sums", "todana store salvage archive NEW"),
    ("-TreePage.kch", "todana store salvage archive NEW. Then add the damaged files to it"),
    ("-index_Content_name.kct", "todana store salvage archive NEW"), ("", "Add the damaged files again"),
  ])
  func `verify ends with the next step`(_ missing: String, _ step: String) throws {
    if missing.isEmpty { try damageContent() } else { try FileManager.default.removeItem(atPath: file(missing)) }
    let run = try run("verify", "archive")
    #expect(run.status == 1)
    #expect(run.lines.last?.contains(step) == true, "\(run.text)")
    // A missing file was listed twice.
    #expect(Set(run.lines.filter { $0.contains(" missing") }).count >= run.lines.count { $0.hasSuffix("is missing") })
    let report = try self.run("verify", "archive", "--json").document(Report.self)
    #expect(report.advice?.contains(step) == true)
    #expect(
      try !step.hasPrefix("todana")
        || ToolRun(
          ["store", "salvage", "archive", "new"], workingDirectory: made.directory.path
        ).status <= 1)
  }

  private struct Report: Decodable { let advice: String? }

  @Test(arguments: [[], ["--dry-run"]])
  func `nothing is pruned if a directory of a kept snapshot is damaged`(_ options: [String]) throws {
    try FileManager.default.removeItem(atPath: file("-TreePage.kch.sums"))
    let words = ["archive", "prune", "archive", "--keep-last", "1", "--quiet"] + options
    let run = try ToolRun(words, workingDirectory: made.directory.path)
    #expect(run.status == 4 && run.messages.contains("directories are damaged in 1 kept snapshot"), "\(run.messages)")
    #expect(try self.run("snapshots", "archive", "--json").lines.count == 3)
  }

  @Test func `damaged content does not prevent pruning`() throws {
    try damageContent()
    #expect(try run("prune", "archive", "--keep-last", "1", "--quiet").status == 0)
  }
}
