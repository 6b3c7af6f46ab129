import Foundation
import TestSupport
import Testing

/// An archive within the archived directory.
///
/// The archive must never read its own files, because they grow while it reads.
@Suite struct ToolArchiveInItselfTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  private func listed() throws -> [String] {
    try made.run("list", "--recursive", "--json").values(ToolArchive.Listed.self).map(\.path)
  }

  @Test func `a snapshot of the directory around the archive leaves the archive out, and says so once`() throws {
    let run = try made.run("add", ".")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.lines.filter { $0.contains("the archive itself") } == ["Excluded the archive itself: archive."])
    #expect(!run.text.contains("by rules"))
    #expect(try listed() == ["key"] + ToolArchive.treePaths)
    let again = try made.run("add", made.directory.path, "--json", "--verbose")
    #expect(try again.document(ToolArchive.Added.self).excludedCount == 1)
    #expect(again.messages.contains("\(made.path): the archive itself"))
  }

  @Test func `the archive is left out if a path names it or one of its files`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: made.directory.path("link"), withDestinationPath: "archive")
    for path in ["archive", "link/", "archive/", "./archive/../archive", "archive/lock", made.path] {
      let run = try made.run("add", path)
      #expect(run.status == 4, "\(path): \(run.text)")
      #expect(run.text.contains("Excluded the archive itself: ") && run.messages == "")
      #expect(run.lines.last == "There is nothing else to archive: no snapshot was made.")
    }
    #expect(try made.snapshots() == [])
    // The link itself is not one of the archive's files.
    #expect(try made.run("add", "archive", "link", "src").status == 0)
    #expect(try listed() == ["link"] + ToolArchive.treePaths)
  }

  @Test(.enabled(if: geteuid() == 0, "mounts a directory: needs root"))
  func `the archive is left out at a second mount point`() throws {
    let script = """
      mkdir -p src/again && mount --bind archive src/again 2>/dev/null || exit 77
      exec "$0" "$@"
      """
    let run = try made.run("add", "src", runner: ["unshare", "--mount", "/bin/sh", "-c", script])
    if run.status == 77 || run.messages.contains("unshare") { try Test.cancel("nothing can be mounted here") }
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.text.contains("Excluded the archive itself: src/again."))
  }

  @Test func `packs and tar streams are not written into the archive`() throws {
    try made.add("src")
    let before = try made.contents()
    #expect(try made.run("pack", "archive/pack").status == 2)
    let tar = ["archive", "tar", "export", "archive", "--output", "archive/t.tar", "--key-file", "key"]
    #expect(try ToolRun(tar, workingDirectory: made.directory.path).status == 2)
    #expect(try made.contents() == before)
    #expect(try made.run("pack", "pack").status == 0)
  }

  /// Guards against extracted files that replaced the archive's own files of the same names.
  @Test(arguments: ["", "/", "/new", "/new/deeper"])
  func `nothing is extracted into the archive`(suffix: String) throws {
    try made.write("not a superblock", to: "files/superblock")
    try #expect(made.run("add", "files").status == 0)
    let before = try ToolArchive.contents(of: made.path).keys.sorted()
    let run = try made.run("extract", "--target", made.path + suffix, "--overwrite", "always")
    #expect(run.status == 2 && run.messages.contains("is inside the archive"), "\(run)")
    try #expect(ToolArchive.contents(of: made.path).keys.sorted() == before)
    try #expect(made.run("verify").status == 0)
  }

  @Test(arguments: ["--sync", "--dry-run"])
  func `a restored directory of the archive's name is left out`(option: String) throws {
    try made.write("not a superblock", to: "files/archive/superblock")
    try made.write("another file", to: "files/other")
    let added = try ToolRun(
      ["archive", "add", "../archive", "archive", "other", "--key-file", "../key"],
      workingDirectory: made.directory.path("files"))
    #expect(added.status == 0, "\(added)")
    let before = try ToolArchive.contents(of: made.path).keys.sorted()
    let run = try made.run("extract", "--target", made.directory.path, "--overwrite", "always", option)
    #expect(run.status == 1 && run.messages.contains("the archive itself is in its place"), "\(run)")
    try #expect(ToolArchive.contents(of: made.path).keys.sorted() == before)
    #expect(FileManager.default.fileExists(atPath: made.directory.path("other")) == (option == "--sync"))
    try #expect(made.run("verify").status == 0)
  }
}
