import Foundation
import TestSupport
import Testing

/// Salvaged archives: `todana store salvage` makes a new archive of the readable records, because an archive is a
/// store.
@Suite struct ToolArchiveSalvageTests {
  private struct Added: Decodable {
    let fileCount: Int
    let newByteCount: Int
  }

  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    for number in 0..<200 { try made.write(Self.text(number), to: "src/\(number).txt") }
    try made.add("src")
  }

  private static func text(_ number: Int) -> String { (0..<200).map { "\(number) \($0 * number) " }.joined() }

  private func salvage() throws -> ToolRun {
    let run = try ToolRun(
      ["store", "salvage", "archive", "salvaged", "--key-file", "key"], workingDirectory: made.directory.path)
    try FileManager.default.moveItem(atPath: made.path, toPath: made.directory.path("damaged"))
    try FileManager.default.moveItem(atPath: made.directory.path("salvaged"), toPath: made.path)
    return run
  }

  /// Overwrites every seventh page of the largest file, which has the content.
  private func damageContent() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: made.path).filter { $0.hasSuffix(".kch") }
    let urls = names.map { URL(filePath: "\(made.path)/\($0)") }
    let url = try #require(try urls.max { try Data(contentsOf: $0).count < Data(contentsOf: $1).count })
    var bytes = try Data(contentsOf: url)
    for page in stride(from: 2, to: bytes.count / 4096, by: 7) {
      bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: Data(count: 4096))
    }
    try bytes.write(to: url)
  }

  @Test func `a salvaged archive is used like any other`() throws {
    let files = try made.run("list", "--recursive", "--json").values(ToolArchive.Listed.self)
    let run = try salvage()
    #expect(run.status == 0, "\(run)")
    #expect(run.lines.contains { $0.hasPrefix("Indexes to be built when a program opens the new store") })
    #expect(try made.run("list", "--recursive", "--json").values(ToolArchive.Listed.self) == files)
    #expect(try made.run("verify").status == 0)
    // All content is found by its hash through an index.
    let added = try made.run("add", "src", "--json", "--rescan").document(Added.self)
    #expect(added.fileCount == 200 && added.newByteCount == 0)
    #expect(try made.run("compact").status == 0)
    #expect(try made.run("extract", "--target", "out").status == 0)
    for number in 0..<200 { #expect(try made.text(of: "out/src/\(number).txt") == Self.text(number)) }
  }

  @Test func `a salvaged archive stores lost content again when it is added`() throws {
    try damageContent()
    #expect(try salvage().status == 1)
    #expect(try made.run("verify").status == 1)
    try made.add("src", "--rescan")
    #expect(try made.run("extract", "--target", "out").status == 0)
    for number in 0..<200 { #expect(try made.text(of: "out/src/\(number).txt") == Self.text(number)) }
  }

  @Test func `files whose content a salvage has lost are read again without being asked`() throws {
    try FileManager.default.createDirectory(
      atPath: made.directory.path("large"), withIntermediateDirectories: false)
    var random = SeededGenerator(seed: 1)
    for number in 0..<6 {
      let bytes = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      try Data(bytes).write(to: URL(filePath: made.directory.path("large/\(number)")))
    }
    try made.add("large")
    try made.add("src", "large")
    try damageContent()
    #expect(try salvage().status == 1)
    // Files that are unchanged since the last snapshot would otherwise not be read.
    try made.add("src", "large")
    #expect(try made.run("extract", "--target", "out").status == 0)
    for number in 0..<200 { #expect(try made.text(of: "out/src/\(number).txt") == Self.text(number)) }
    for number in 0..<6 {
      let file = "large/\(number)"
      let extracted = try Data(contentsOf: URL(filePath: made.directory.path("out/" + file)))
      #expect(extracted == (try Data(contentsOf: URL(filePath: made.directory.path(file)))))
    }
    let verified = try made.run("verify")
    #expect(verified.status == 1 && !verified.lines.contains { $0.contains("repairs all") }, "\(verified)")
    #expect(verified.lines.contains { $0.contains("the new snapshot then has all their data") }, "\(verified)")
  }
}
