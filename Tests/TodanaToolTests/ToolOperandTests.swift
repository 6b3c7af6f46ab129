import Foundation
import TestSupport
import Testing

/// Advice for operands in the wrong order.
@Suite struct ToolOperandTests {
  private let made: ToolStore

  init() throws {
    made = try ToolStore()
    let directory = made.directory
    try Data("x".utf8).write(to: URL(filePath: directory.path("file")))
    #expect(try made.run("backup", "--series", made.path, directory.path("series")).status == 0)
    #expect(try ToolRun("archive", "init", directory.path("archive"), "--plain").status == 0)
  }

  @Test(arguments: [
    (["store", "list", "Song", "store"], "store is a store or archive: pass it before Song"),
    (["store", "get", "Song", "store", "1"], "store is a store or archive: pass it before Song"),
    (["store", "name", "favourites", "store"], "store is a store or archive: pass it before favourites"),
    (["store", "index", "rebuild", "Song", "store"], "store is a store or archive: pass it before Song"),
    (["store", "backup", "--series", "series", "store"], "series is a series of backups"),
    (["store", "verify", "series"], "series is a series of backups"),
    (["store", "restore", "new", "series"], "series is a series of backups: pass it before new"),
    (["store", "backups", "list", "store"], "store is a store, and not a series of backups"),
    (["store", "import", "file", "new"], "file is a file: pass the new directory before the dump"),
    (["store", "key", "export", "new", "store"], "store is a store or archive: pass it before new"),
    (["archive", "add", "file", "archive"], "archive is a store or archive: pass it before file"),
    (["archive", "list", "file", "archive"], "archive is a store or archive: pass it before file"),
    (["archive", "pack", "new.tar", "archive"], "archive is a store or archive: pass it before new.tar"),
    (["archive", "unpack", "file", "new"], "file is a file: pass the new directory before the pack"),
    (["archive", "snapshots", "store"], "The commands of 'todana store' inspect it"),
    (["store", "info", "nowhere"], ""),
  ])
  func `the message says which operand comes first`(_ arguments: [String], _ advice: String) throws {
    let run = try ToolRun(arguments, workingDirectory: made.directory.path)
    #expect(run.status == 3, "\(run.messages)")
    if advice.isEmpty {
      #expect(run.lines.count <= 1 && !run.messages.contains("pass it"))
    } else {
      #expect(run.messages.contains(advice), "\(run.messages)")
    }
  }

  @Test func `a wrong passphrase gets no advice about operands`() throws {
    let archive = try ToolArchive()
    try archive.write(String(repeating: "k", count: 16), to: "other")
    for key in ["other", "missing"] {
      let run = try ToolRun(
        ["archive", "list", "archive", "key", "--key-file", key], workingDirectory: archive.directory.path)
      #expect(run.status == 3 && !run.messages.contains("todana store"), "\(run.messages)")
    }
  }

  @Test func `a wrong key of the target names the target`() throws {
    let archive = try ToolArchive()
    try archive.write(String(repeating: "k", count: 16), to: "other-key")
    let directory = archive.directory.path
    #expect(
      try ToolRun(["archive", "init", "other", "--new-key-file", "other-key"], workingDirectory: directory).status == 0)
    let run = try ToolRun(["archive", "copy", "archive", "other", "--key-file", "key"], workingDirectory: directory)
    #expect(run.status == 3)
    #expect(run.messages.contains("does not open other.") && run.messages.contains("--target-key-file"))
    for option in ["--target-key-file", "--new-key-file"] {
      let words = ["archive", "copy", "archive", "other", "--key-file", "key", option, "other-key"]
      #expect(try ToolRun(words, workingDirectory: directory).status == 0)
    }
  }
}
