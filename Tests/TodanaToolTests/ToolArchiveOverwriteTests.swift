import Foundation
import TestSupport
import Testing

/// `todana archive extract --overwrite always` and `metadata`, over files with the correct length and time.
@Suite struct ToolArchiveOverwriteTests {
  private struct Report: Decodable {
    let fileCount: Int
    let directoryCount: Int
    let currentFileCount: Int
    let comparedFileCount: Int
    let updatedFileCount: Int
    let keptFileCount: Int
    let updatedDirectoryCount: Int
    let failureCount: Int
    let warnings: [String]
  }

  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try shell(
      """
      umask 022; mkdir -p src/sub; cd src
      printf 'good content 1' >file; chmod 640 file; head -c 300000 /dev/zero | tr '\\0' x >sub/large
      truncate -s 3000000 sparse; printf data | dd of=sparse bs=1 seek=1000000 conv=notrunc 2>/dev/null
      ln -s file link; mkfifo fifo; echo linked >one; ln one sub/two; ln one sub/three
      find . -exec touch -h -d @1000000000 {} +
      """)
    try made.add("src")
    try shell("cp -a src saved")
    #expect(try made.run("extract", "--target", "out").status == 0)
  }

  @discardableResult
  private func shell(_ script: String) throws -> String {
    let run = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", "set -e\n" + script, "sh"])
    #expect(run.status == 0, "\(script): \(run.messages)")
    return run.text
  }

  private func extract(_ overwrite: String, _ more: String...) throws -> Report {
    let run = try ToolRun(
      ["archive", "extract", "archive", "--key-file", "key", "--target", "out", "--json", "--overwrite", overwrite]
        + more,
      workingDirectory: made.directory.path)
    #expect(run.status == 0, "\(run.messages)")
    return try run.document(Report.self)
  }

  /// Returns names, metadata, links and checksums of a directory's files.
  private func state(_ name: String) throws -> String {
    try shell(
      """
      cd \(name); find . -printf '%y %m %U:%G %T@ %n %l %p\\n' | sort
      find . -type f | sort | xargs sha256sum
      [ one -ef sub/two ] && [ one -ef sub/three ] && echo linked
      """)
  }

  private func expectRestored() throws { #expect(try state("out/src") == state("saved")) }

  @Test func `only always replaces other bytes of the same length and time`() throws {
    let damage = """
      cd out/src; printf 'EVIL CONTENT 1' >file
      printf y | dd of=sub/large bs=1 seek=200000 conv=notrunc 2>/dev/null
      printf z | dd of=sparse bs=1 seek=2000000 conv=notrunc 2>/dev/null
      touch -d @1000000000 file sub/large sparse
      """
    try shell(damage)
    for overwrite in ["never", "older", "metadata"] {
      let report = try extract(overwrite)
      #expect(report.fileCount == 0 && report.currentFileCount == 8 && report.comparedFileCount == 0, "\(overwrite)")
    }
    #expect(try made.text(of: "out/src/file") == "EVIL CONTENT 1")
    var report = try extract("always", "--dry-run")
    #expect(report.fileCount == 3 && report.currentFileCount == 5 && report.updatedFileCount == 0)
    #expect(try made.text(of: "out/src/file") == "EVIL CONTENT 1")
    report = try extract("always")
    #expect(
      report.fileCount == 3 && report.currentFileCount == 5 && report.comparedFileCount == 4
        && report.updatedFileCount == 0)
    try expectRestored()
  }

  @Test(arguments: ["always", "metadata"])
  func `permissions, attributes and times come back, and nothing is written`(_ overwrite: String) throws {
    try shell(
      """
      cd out/src; chmod 4777 file; chmod 777 sub fifo . one; touch -d @5 sub fifo; touch -h -d @5 link
      if [ "$(id -u)" -eq 0 ]; then chown -h 5:6 file link sub; fi
      """)
    let inodes = try shell("cd out/src; ls -i file link fifo sub/large")
    let dry = try extract(overwrite, "--dry-run")
    let report = try extract(overwrite)
    #expect(
      dry.updatedDirectoryCount == 2 && dry.fileCount == report.fileCount
        && dry.updatedFileCount == report.updatedFileCount)
    #expect(report.updatedDirectoryCount == 2 && report.directoryCount == 0)
    // With `always`, a file with several names is created again, because some of its names may be outside the target.
    #expect(report.fileCount == (overwrite == "always" ? 3 : 0))
    #expect(report.updatedFileCount == (overwrite == "always" ? 3 : 4))
    #expect(try shell("cd out/src; ls -i file link fifo sub/large") == inodes)
    try expectRestored()
    let third = try extract(overwrite)
    #expect(
      third.fileCount == 0 && third.updatedFileCount == 0 && third.currentFileCount == 8
        && third.updatedDirectoryCount == 0)
  }

  @Test(arguments: ["always", "metadata"])
  func `hard links that were separated are linked again`(_ overwrite: String) throws {
    try shell("cd out/src/sub; cp -a two new; mv new two")
    let never = try extract("never")
    #expect(never.keptFileCount == 1 && never.fileCount == 0)
    #expect(try extract(overwrite).fileCount == 1)
    try expectRestored()
  }

  /// Extracts over a file with an outside name; changing the file would change it outside, too.
  @Test(arguments: ["always", "metadata"])
  func `a file with a name outside of the target is not changed`(_ overwrite: String) throws {
    try shell("cp -a out/src/file outside; chmod 604 outside; ln -f outside out/src/file")
    try shell("ln out/src/one outside-one; chmod 604 outside-one")
    let run = try made.run("extract", "--target", "out", "--overwrite", overwrite)
    let expected = overwrite == "always" ? "604 1\n604 1\n" : "604 2\n604 4\n"
    #expect(try shell("stat -c '%a %h' outside outside-one") == expected)
    if overwrite == "always" {
      #expect(run.status == 0)
      try expectRestored()
    } else {
      #expect(run.status == 1 && run.messages.contains("it has other hard links"), "\(run.messages)")
    }
  }

  @Test func `metadata keeps other content and its time, and gives it no rights`() throws {
    try shell("chmod 6755 src/file; touch -d @1000000000 src")
    try made.add("src")
    try shell("cd out/src; echo mine >file; chmod 600 file; touch -d @5 file")
    let run = try made.run("extract", "src/file", "--target", "out", "--overwrite", "metadata")
    #expect(run.status == 1 && run.messages.contains("setuid, setgid and capabilities of a file with other content"))
    #expect(run.lines.contains("Set the metadata of 1 existing file."))
    #expect(run.lines.contains { $0.hasPrefix("1 differing file kept") })
    #expect(try shell("stat -c '%a %Y' out/src/file; cat out/src/file") == "755 5\nmine\n")
  }

  @Test func `the summary and the lines of --verbose say what was compared`() throws {
    func summary(_ overwrite: String) throws -> String? {
      try made.run("extract", "--target", "out", "--overwrite", overwrite).lines.last
    }
    #expect(try summary("never") == "8 files already up to date (length and time compared, not content).")
    #expect(try summary("always") == "8 files already up to date (content and metadata compared).")
    #expect(try summary("metadata") == "8 files already up to date (length, time and metadata compared, not content).")
    try shell("chmod 600 out/src/sparse; printf 'EVIL CONTENT 1' >out/src/file; touch -d @1000000000 out/src/file")
    let run = try made.run("extract", "--target", "out", "--overwrite", "always", "--verbose")
    #expect(
      Set(run.lines).isSuperset(of: ["updated   src/sparse", "restored  src/file", "current   src/sub/large"]),
      "\(run.text)")
  }
}
