import Foundation
import TestSupport
import Testing

/// `todana archive add`: the files in a snapshot, and the reports on all others.
@Suite struct ToolArchiveAddTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  @Test func `a snapshot is made, reported and listed`() throws {
    let run = try made.run("add", "src", "--json", "--tag", "first", "--host", "box", "--time", "2026-01-02 03:04:05")
    #expect(run.status == 0 && run.messages == "")
    let added = try run.document(ToolArchive.Added.self)
    #expect(added.fileCount == 5 && added.directoryCount == 3 && added.newFileCount == 5 && added.byteCount == 18)
    #expect(added.failures == [] && added.failureCount == 0)
    let snapshots = try made.snapshots()
    #expect(snapshots.map(\.id) == [added.snapshot])
    let snapshot = try #require(snapshots.first)
    #expect(snapshot.host == "box" && snapshot.tags == ["first"] && snapshot.paths == ["src"])
    #expect(
      snapshot.fileCount == 5 && snapshot.directoryCount == 3 && snapshot.byteCount == 18 && snapshot.failureCount == 0)

    let again = try made.run("add", "src", "--host", "box")
    #expect(again.status == 0)
    #expect(again.lines.first == "5 files in 3 directories, 18 B: 0 new, 0 changed, 5 unchanged.")
    #expect(again.lines.last?.hasPrefix("Snapshot ") == true)
    let table = try made.run("snapshots").lines
    #expect(table.count == 3 && table[1].contains(snapshot.short) && table[1].hasPrefix("/"))
    #expect(table[1].contains("2026-01-02 03:04:05"))
  }

  @Test func `excluded files stay out, and --verbose says why`() throws {
    try made.write("*.log\n", to: "patterns")
    try made.write("deep/\n", to: "src/sub/.todanaignore")
    try made.write(String(repeating: "x", count: 3000), to: "src/large")
    try made.write("Signature: 8a477f597d28d172789f06886806bc55", to: "src/cache/CACHEDIR.TAG")
    try made.write("cached", to: "src/cache/data")
    let run = try made.run(
      "add", "src", "--exclude", "a.*", "--exclude-from", "patterns", "--exclude-caches", "--exclude-larger-than", "2k",
      "--exclude", "link", "--include", "src/link", "--verbose")
    #expect(run.status == 0)
    #expect(
      try listed() == [
        "src", "src/cache", "src/cache/CACHEDIR.TAG", "src/sub", "src/sub/.todanaignore", "src/sub/b.txt",
      ])
    for name in ["src/a.txt", "src/sub/x.log", "src/sub/deep", "src/large", "src/link"] {
      #expect(run.messages.contains("todana: \(name): "))
    }
    #expect(run.text.contains(" excluded by rules."))
  }

  @Test func `a file with a given name excludes the others of its directory`() throws {
    try made.write("", to: "src/sub/.nobackup")
    try made.write("", to: "src/other/stop")
    try made.write("", to: "src/other/more/file")
    let run = try made.run(
      "add", "src", "--exclude-if-present", ".nobackup", "--exclude-if-present", "stop", "--verbose")
    #expect(run.status == 0)
    #expect(run.messages.contains("src/sub/b.txt: in a directory with “.nobackup” (--exclude-if-present)"))
    #expect(
      try listed() == [
        "src", "src/a.txt", "src/link", "src/other", "src/other/stop", "src/sub", "src/sub/.nobackup",
      ])
    for name in ["", "a/b", ".."] { #expect(try made.run("add", "src", "--exclude-if-present", name).status == 2) }
  }

  @Test func `pattern files in the tree can be switched off`() throws {
    try made.write("*\n", to: "src/.todanaignore")
    #expect(try made.add("src").fileCount == 0)
    #expect(try made.run("add", "src", "--no-ignore-files", "--exclude", "deep").status == 0)
    #expect(
      try listed()
        == ([".todanaignore"].map { "src/" + $0 } + ToolArchive.treePaths).sorted().filter { !$0.contains("deep") })
  }

  @Test func `a snapshot of the working directory keeps the metadata of this directory`() throws {
    let manager = FileManager.default
    let path = made.directory.path("src")
    let time = Date(timeIntervalSince1970: 1_000_000_000)
    try manager.setAttributes([.posixPermissions: 0o2751, .modificationDate: time], ofItemAtPath: path)
    let run = try ToolRun(
      ["archive", "add", made.path, ".", "--key-file", made.keyFile], workingDirectory: path)
    #expect(run.status == 0)
    func attributes(_ name: String) throws -> (Int?, Date?) {
      let found = try manager.attributesOfItem(atPath: made.directory.path(name))
      return (found[.posixPermissions] as? Int, found[.modificationDate] as? Date)
    }
    #expect(try made.run("extract", "--target", "new").status == 0)
    #expect(try attributes("new") == (0o2751, time))
    // The metadata of the snapshot's top are set neither on an existing target, nor on a target for chosen files.
    try manager.createDirectory(atPath: made.directory.path("there"), withIntermediateDirectories: false)
    let before = try attributes("there").0
    #expect(try made.run("extract", "--target", "there").status == 0)
    #expect(try attributes("there").0 == before)
    #expect(try made.run("extract", "a.txt", "--target", "chosen").status == 0)
    #expect(try attributes("chosen").0 != 0o2751)
    // Rewritten snapshots keep the metadata of the top.
    #expect(try made.run("rewrite", "--exclude", "*.log").status == 0)
    #expect(try made.run("extract", "--target", "rewritten").status == 0)
    #expect(try attributes("rewritten") == (0o2751, time))
  }

  @Test(.enabled(if: geteuid() == 0, "mounts a file system: needs root"))
  func `--one-file-system archives a mount point, but nothing below it`() throws {
    let script = """
      mkdir -p src/mounted && mount -t tmpfs none src/mounted 2>/dev/null || exit 77
      echo other >src/mounted/other; exec "$0" "$@"
      """
    let runner = ["unshare", "--mount", "/bin/sh", "-c", script]
    let run = try made.run("add", "src", "--one-file-system", "--json", runner: runner)
    if run.status == 77 || run.messages.contains("unshare") { try Test.cancel("nothing can be mounted here") }
    #expect(run.status == 0, "\(run.messages)")
    let paths = try made.run("list", "--recursive", "--json").values(ToolArchive.Listed.self).map(\.path)
    #expect(paths == (ToolArchive.treePaths + ["src/mounted"]).sorted())
    // The file systems of all given paths are archived.
    _ = try made.run("add", "src", "src/mounted", "--one-file-system", runner: runner)
    _ = try made.run("add", "src", runner: runner)
    for snapshot in try made.snapshots().dropFirst() {
      let all = try made.run("list", "--snapshot", snapshot.id, "--recursive", "--json").values(ToolArchive.Listed.self)
      #expect(all.map(\.path) == (ToolArchive.treePaths + ["src/mounted", "src/mounted/other"]).sorted())
    }
  }

  @Test func `a dry run stores nothing and reports the excluded files`() throws {
    let before = try made.contents()
    let run = try made.run("add", "src", "--dry-run", "--exclude", "*.log", "--verbose")
    #expect(run.status == 0)
    #expect(run.lines.first == "4 files in 3 directories, 15 B: 4 new, 0 changed, 0 unchanged.")
    #expect(run.lines.last == "Nothing was stored: this was a dry run.")
    #expect(run.messages.contains("src/sub/x.log"))
    #expect(try made.run("add", "src", "--dry-run", "--json").document(ToolArchive.Added.self).snapshot == nil)
    // Pipe more bytes than one commit can hold.
    let input = String(repeating: "x", count: 20 << 20)
    let piped = try made.run("add", "--stdin", "pipe", "--dry-run", "--json", input: input)
    #expect(try piped.document(ToolArchive.Added.self).byteCount == 20 << 20)
    #expect(try made.contents() == before)
  }

  @Test func `paths come from files and from the standard input, separated by line feeds or NUL`() throws {
    try made.write("with\nline feed", to: "src/odd\nname")
    try made.write("src/a.txt\nsrc/sub/deep\n", to: "lines")
    #expect(try made.run("add", "--files-from", "lines").status == 0)
    #expect(try listed() == ["src", "src/a.txt", "src/sub", "src/sub/deep", "src/sub/deep/C.TXT"])
    #expect(try made.run("add", "src/link", "--files-from", "-", input: "src/odd\nname\0src/a.txt\0").status == 0)
    #expect(try listed() == ["src", "src/a.txt", "src/link", "src/odd\nname"])
    #expect(try made.run("add", "--files-from", "missing").status == 3)
    #expect(try made.run("add", "src", "--exclude-from", "missing").status == 3)
    #expect(try made.run("add", "--files-from", "-", input: "").status == 2)
  }

  @Test func `the standard input becomes a file`() throws {
    let text = String(repeating: "from a pipe\n", count: 20_000)
    #expect(try made.run("add", "--stdin", "dump.sql", input: text).status == 0)
    #expect(try listed() == ["dump.sql"])
    #expect(try made.run("cat", "dump.sql").text == text)
    #expect(try made.run("add", "--stdin", "empty", "--allow-empty", input: "").status == 0)
    #expect(try made.run("cat", "empty").output == Data())
    for name in ["a/b", "..", ""] { #expect(try made.run("add", "--stdin", name, input: "x").status == 2) }
    #expect(try made.run("add", "src", "--stdin", "x", input: "x").status == 2)
  }

  /// Renames a file and touches its metadata, as other programs do.
  @Test func `a file with another inode or change time is read again unless they are ignored`() throws {
    let file = made.directory.path("src/a.txt")
    func bytesRead(_ options: String...) throws -> Int {
      struct Read: Decodable { let readByteCount: Int, unchangedFileCount: Int }
      let run = try ToolRun(
        ["archive", "add", "archive", "src", "--json", "--key-file", "key"] + options,
        workingDirectory: made.directory.path)
      let read = try run.document(Read.self)
      #expect(run.status == 0 && read.unchangedFileCount == 5)
      return read.readByteCount
    }
    // Files must be older than the first snapshot, or their times are not trusted.
    Thread.sleep(forTimeInterval: 0.1)
    try made.add("src")
    #expect(try bytesRead() == 0)
    #expect(try bytesRead("--rescan") == 18)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    Thread.sleep(forTimeInterval: 0.1)
    #expect(try bytesRead("--ignore-ctime", "--dry-run") == 0)
    #expect(try bytesRead("--ignore-ctime") == 0)
    let script = "cp -p src/a.txt copy && mv copy src/a.txt && sleep 0.1"
    _ = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script])
    #expect(try bytesRead("--ignore-ctime") == 3)
    _ = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script])
    #expect(try bytesRead("--ignore-inode") == 3)
    _ = try ToolRun([], workingDirectory: made.directory.path, runner: ["sh", "-c", script])
    #expect(try bytesRead("--ignore-ctime", "--ignore-inode") == 0)
  }

  @Test func `missing files are listed, and the rest is archived`() throws {
    let run = try made.run("add", "src/a.txt", "missing", "src/neither/nor", "--json")
    #expect(run.status == 1)
    #expect(run.messages.contains("missing") && run.messages.contains("src/neither"))
    let added = try run.document(ToolArchive.Added.self)
    #expect(added.failureCount == 2 && added.failures.count == 2 && added.snapshot != nil)
    #expect(try listed() == ["src", "src/a.txt"])
    #expect(try made.snapshots().map(\.failureCount) == [2])
  }

  /// Guards against an empty snapshot, which would look like the latest good one.
  @Test func `a missing path below another path is listed`() throws {
    for paths in [["src", "src/none"], ["src/none", "src"], ["src/none/deeper", "src"]] {
      let run = try ToolRun(
        ["archive", "add", "archive", "--key-file", "key"] + paths, workingDirectory: made.directory.path)
      #expect(run.status == 1, "\(paths)")
      #expect(run.messages.contains("“src/none"), "\(run.messages)")
    }
    #expect(try made.snapshots().count == 3)
  }

  @Test func `no snapshot is made if nothing can be read`() throws {
    let run = try made.run("add", "missing", "src/neither")
    #expect(run.status == 4)
    #expect(run.messages.contains("missing") && run.lines.last == "Nothing could be read: no snapshot was made.")
    #expect(try made.snapshots() == [])
    #expect(try made.run("add", "missing", "--dry-run").status == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "becomes another user: needs root"))
  func `unreadable files are listed, and the rest is archived`() throws {
    try made.write("secret", to: "src/secret")
    try made.write("inside", to: "src/closed/inside")
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: made.directory.path("src/secret"))
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: made.directory.path("src/closed"))
    _ = try ChildProcess(executable: "/bin/chown", ["-R", "65534", made.path, made.keyFile]).waitForExit()
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    let run = try made.run("add", "src", "--json", runner: nobody)
    #expect(run.status == 1)
    #expect(run.messages.contains("src/secret”: Permission denied"))
    #expect(run.messages.contains("src/closed”: Permission denied"))
    #expect(try run.document(ToolArchive.Added.self).failureCount == 2)
    #expect(try listed() == (ToolArchive.treePaths + ["src/closed"]).sorted())
    // Another user's archive can be neither read nor written.
    try manager.setAttributes([.posixPermissions: 0o700, .ownerAccountID: 0], ofItemAtPath: made.path)
    #expect(try made.run("add", "src", runner: nobody).status == 3)
    #expect(try made.run("list", runner: nobody).status == 3)
  }

  @Test func `incompatible paths and other wrong use exit with 2 and change nothing`() throws {
    try made.write("other", to: "other/src/a.txt")
    let before = try made.contents()
    for arguments in [
      ["src", "other/../src"], [".", "src"], [""], [], ["src", "--compression", "brotli"],
      ["src", "--time", "soon"],
      ["src", "--exclude-larger-than", "big"], ["src", "--exclude", "[a"], ["src", "--tag", "a,b"],
      ["src", "--tag", ""],
      ["src", "--wait", "-1"],
    ] {
      let run = try ToolRun(
        ["archive", "add", "archive", "--key-file", "key"] + arguments, workingDirectory: made.directory.path)
      #expect(run.status == 2, "\(arguments): \(run.messages)")
    }
    #expect(try made.contents() == before)
  }

  private func listed() throws -> [String] {
    try made.run("list", "--recursive", "--json").values(ToolArchive.Listed.self).map(\.path)
  }
}
