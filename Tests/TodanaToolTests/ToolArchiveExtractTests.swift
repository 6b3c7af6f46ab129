import Foundation
import TestSupport
import Testing

/// `todana archive extract`: the places of extracted files, and the treatment of existing ones.
@Suite struct ToolArchiveExtractTests {
  private struct Report: Decodable {
    let target: String
    let fileCount: Int
    let directoryCount: Int
    let byteCount: Int
    let currentFileCount: Int
    let keptFileCount: Int
    let failureCount: Int
    let failures: [String]
  }

  let made: ToolArchive
  let first: ToolArchive.Snapshot

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
    first = try made.add("src")
  }

  @Test func `all files go to a new directory named after the snapshot`() throws {
    let run = try made.run("extract")
    #expect(run.status == 0 && run.messages == "")
    #expect(run.lines == ["Restored 5 files and 3 directories, 18 B, to snapshot-\(first.short)."])
    #expect(try text("snapshot-\(first.short)/src/sub/deep/C.TXT") == "three")
    // An existing target must be named explicitly.
    #expect(try made.run("extract").status == 2)
  }

  @Test func `files that are up to date stay, and missing ones are restored`() throws {
    #expect(try made.run("restore", "--target", "out").status == 0)
    try FileManager.default.removeItem(atPath: made.directory.path("out/src/sub/deep"))
    let report = try made.run("extract", "--target", "out", "--json").document(Report.self)
    #expect(
      report.fileCount == 1 && report.currentFileCount == 4 && report.keptFileCount == 0 && report.target == "out")
    #expect(try text("out/src/sub/deep/C.TXT") == "three")
  }

  @Test func `--verbose shows each file with its outcome`() throws {
    let all = ["src", "src/a.txt", "src/sub", "src/sub/b.txt", "src/sub/deep", "src/sub/deep/C.TXT"]
    let would = try made.run("extract", "--target", "out", "--verbose", "--dry-run")
    #expect(would.status == 0 && would.lines.last?.hasPrefix("Would restore") == true)
    #expect(Set(would.lines).isSuperset(of: all.map { "restored  \($0)" }))
    #expect(!FileManager.default.fileExists(atPath: made.directory.path("out")))
    #expect(try made.run("extract", "--target", "out").status == 0)
    try made.write("mine", to: "out/src/a.txt")
    try FileManager.default.removeItem(atPath: made.directory.path("out/src/sub/b.txt"))
    let run = try made.run("extract", "--target", "out", "--verbose")
    #expect(
      Set(run.lines).isSuperset(of: ["kept      src/a.txt", "restored  src/sub/b.txt", "current   src/sub/deep/C.TXT"]))
    #expect(try made.run("extract", "--target", "out", "--verbose", "--json").document(Report.self).keptFileCount == 1)
  }

  @Test func `existing files are kept or replaced as requested`() throws {
    try made.write("mine, and newer", to: "out/src/a.txt")
    try made.write("mine, and older", to: "out/src/sub/b.txt")
    try made.write("not in the archive", to: "out/src/own")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: made.directory.path("out/src/sub/b.txt"))
    var report = try made.run("extract", "--target", "out", "--json").document(Report.self)
    #expect(report.keptFileCount == 2 && report.fileCount == 3)
    #expect(try text("out/src/a.txt") == "mine, and newer" && text("out/src/sub/b.txt") == "mine, and older")
    report = try made.run("extract", "--target", "out", "--json", "--overwrite", "older").document(Report.self)
    #expect(report.keptFileCount == 1 && report.fileCount == 1)
    #expect(try text("out/src/a.txt") == "mine, and newer" && text("out/src/sub/b.txt") == "two two")
    report = try made.run("extract", "--target", "out", "--json", "--overwrite", "always").document(Report.self)
    #expect(report.keptFileCount == 0 && report.fileCount == 1 && report.currentFileCount == 4)
    #expect(try text("out/src/a.txt") == "one" && text("out/src/own") == "not in the archive")
    #expect(try made.run("extract", "--overwrite", "sometimes").status == 2)
  }

  @Test func `paths and patterns select files`() throws {
    // One path may be within another.
    #expect(
      try made.run("extract", "src/sub", "src/sub/deep/C.TXT", "--exclude", "*.log", "--target", "out").status == 0)
    #expect(!made.exists("out/src/a.txt") && !made.exists("out/src/sub/x.log"))
    #expect(try text("out/src/sub/b.txt") == "two two" && text("out/src/sub/deep/C.TXT") == "three")
    let run = try made.run("extract", "src/link", "src/nothing", "--target", "some", "--json")
    #expect(run.status == 1 && run.messages.contains("src/nothing"))
    #expect(try run.document(Report.self).failureCount == 1)
    #expect(made.exists("some/src"))
  }

  @Test func `a dry run writes nothing`() throws {
    let run = try made.run("extract", "--dry-run", "--target", "out")
    #expect(run.status == 0 && run.lines == ["Would restore 5 files and 3 directories, 18 B, to out."])
    #expect(!made.exists("out"))
  }

  @Test func `an older snapshot is named by an id or its beginning`() throws {
    try made.write("changed", to: "src/a.txt")
    try made.add("src")
    for (number, name) in [first.id, first.short, first.id.uppercased()].enumerated() {
      #expect(try made.run("extract", "src/a.txt", "--snapshot", name, "--target", "out\(number)").status == 0)
      #expect(try text("out\(number)/src/a.txt") == "one")
    }
  }

  @Test func `a target that cannot be made or written is an error`() throws {
    try made.write("a file", to: "file")
    #expect(try made.run("extract", "--target", "file").status == 4)
    #expect(try made.run("extract", "--target", "no/such/place").status == 4)
    #expect(try text("file") == "a file")
  }

  @Test(.enabled(if: geteuid() == 0, "becomes another user: needs root"))
  func `a user without root's rights restores files without their owners`() throws {
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    try FileManager.default.createDirectory(atPath: made.directory.path("room"), withIntermediateDirectories: true)
    _ = try ChildProcess(executable: "/bin/chown", ["-R", "65534", made.path, made.directory.path("room")])
      .waitForExit()
    let run = try made.run("extract", "--target", "room/out", runner: nobody)
    #expect(run.status == 0, "\(run.messages)")
    #expect(try text("room/out/src/sub/b.txt") == "two two")
    let denied = try made.run("extract", "--target", "out", runner: nobody)
    #expect(denied.status == 4 && denied.messages.contains("Permission denied"))
  }

  private func text(_ name: String) throws -> String { try made.text(of: name) }
}
