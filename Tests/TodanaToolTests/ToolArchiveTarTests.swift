import Foundation
import TestSupport
import Testing

/// `todana archive tar`: streams from snapshots, and snapshots from streams.
@Suite struct ToolArchiveTarTests {
  struct Imported: Decodable {
    let snapshot: String?
    let fileCount: Int
    let directoryCount: Int
    let byteCount: Int
    let readByteCount: Int
    let newByteCount: Int
    let excludedCount: Int
    let failureCount: Int
    let failures: [String]
  }

  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  private func run(
    _ command: String, _ arguments: String..., input: String = "", runner: [String] = []
  ) throws -> ToolRun {
    try ToolRun(
      ["archive", "tar", command, "archive"] + arguments + ["--key-file", "key"], input: input,
      workingDirectory: made.directory.path, runner: runner)
  }

  private func listed() throws -> [String] {
    try made.run("list", "-r", "--json").values(ToolArchive.Listed.self).map(\.path)
  }

  /// Returns a runner that pipes the output of a shell command into the tool.
  private func piped(_ command: String) -> [String] { ["sh", "-c", "\(command) | \"$0\" \"$@\""] }

  @Test func `an exported tar is imported without a difference`() throws {
    let added = try made.add("src")
    #expect(try run("export", "--output", "src.tar").status == 0)
    let importing = try run(
      "import", "src.tar", "--json", "--tag", "t", "--host", "box", "--time", "2026-01-02 03:04:05", "--compression",
      "zlib:9")
    #expect(importing.status == 0 && importing.messages == "")
    let imported = try importing.document(Imported.self)
    #expect(
      imported.fileCount == 5 && imported.directoryCount == 3 && imported.byteCount == 18
        && imported.readByteCount == 18)
    #expect(imported.newByteCount == 0 && imported.failureCount == 0 && imported.failures == [])
    let snapshot = try #require(try made.snapshots().first { $0.id == imported.snapshot })
    #expect(snapshot.host == "box" && snapshot.tags == ["t"] && snapshot.paths == ["src.tar"])
    #expect(
      snapshot.fileCount == 5 && snapshot.directoryCount == 3 && snapshot.byteCount == 18 && snapshot.failureCount == 0)
    let difference = try made.run("diff", added.id, snapshot.id)
    #expect(difference.status == 0 && difference.text == "No differences.\n")
    #expect(try made.run("verify").status == 0)
  }

  @Test(arguments: ["cat", "gzip", "zstd", "xz", "bzip2"])
  func `a tar from a pipe is imported`(packer: String) throws {
    let run = try run("import", runner: piped("tar -c src | \(packer)"))
    #expect(run.status == 0 && run.messages == "")
    #expect(run.lines.first == "5 files in 3 directories, 18 B.")
    #expect(run.lines.last?.hasPrefix("Snapshot ") == true)
    #expect(try listed() == ToolArchive.treePaths)
    #expect(try made.snapshots().map(\.paths) == [["-"]])
    #expect(try made.run("cat", "src/sub/deep/C.TXT").text == "three")
  }

  @Test func `excluded entries stay out, and the others are stored below --into`() throws {
    try made.write("*.log\n", to: "patterns")
    try made.write(String(repeating: "x", count: 3000), to: "src/large")
    let run = try run(
      "import", "-", "--into", "hosts/box", "--exclude-from", "patterns", "--exclude", "src/sub/*.txt", "--include",
      "/src/sub/b.*", "--exclude-larger-than", "2k", "--exclude", "deep/", "--verbose", runner: piped("tar -c src"))
    #expect(run.status == 0)
    #expect(
      try listed() == [
        "hosts", "hosts/box", "hosts/box/src", "hosts/box/src/a.txt", "hosts/box/src/link", "hosts/box/src/sub",
        "hosts/box/src/sub/b.txt",
      ])
    for path in ["src/large", "src/sub/x.log", "src/sub/deep", "src/sub/deep/C.TXT"] {
      #expect(run.messages.contains("todana: \(path): "))
    }
    #expect(run.text.contains("4 paths excluded by rules."))
  }

  @Test func `a dry run stores nothing`() throws {
    let before = try made.contents()
    let run = try run("import", "--dry-run", runner: piped("tar -c src"))
    #expect(run.status == 0)
    #expect(run.lines == ["5 files in 3 directories, 18 B.", "Nothing was stored: this was a dry run."])
    #expect(try made.contents() == before)
  }

  @Test func `entries that cannot be imported are listed, and the others are imported`() throws {
    let run = try run("import", "--json", runner: piped("tar -cP --transform 's,^src/a,../a,' src"))
    #expect(run.status == 1)
    #expect(run.messages.contains("todana: “../a.txt” was left out: its path contains “..”"))
    let imported = try run.document(Imported.self)
    #expect(imported.failureCount == 1 && imported.fileCount == 4)
    #expect(try made.snapshots().map(\.failureCount) == [1])
  }

  @Test func `bad streams and wrong use have their exit statuses, and leave no snapshot`() throws {
    for command in [
      "echo garbage", "tar -c src | head -c 3000", "true", "head -c 10240 /dev/zero", "tar -cz src | head -c 99",
    ] {
      let run = try run("import", runner: piped(command))
      #expect(run.status == 4, "\(command)")
      #expect(!(run.messages + run.text).isEmpty)
    }
    // The cut is within the header.
    let cut = try run("import", runner: piped("tar -c --format=pax src | head -c 700"))
    #expect(cut.status == 4 && cut.messages.contains("it is damaged or truncated"), "\(cut.messages)")
    #expect(try run("import", "src").status == 4)
    for arguments in [
      ["a", "b"], ["--into", "../x"], ["--compression", "zip"], ["--time", "later"], ["--tag", "a,b"],
    ] {
      let run = try ToolRun(
        ["archive", "tar", "import", "archive"] + arguments + ["--key-file", "key"],
        workingDirectory: made.directory.path)
      #expect(run.status == 2, "\(arguments)")
    }
    #expect(try run("import", "missing.tar").status == 3)
    let both = try ToolRun(
      ["archive", "tar", "import", "archive", "--passphrase-file", "-"], workingDirectory: made.directory.path)
    #expect(both.status == 2)
    let none = try ToolRun(
      ["archive", "tar", "import", "nowhere", "--key-file", "key"], workingDirectory: made.directory.path)
    #expect(none.status == 3)
    #expect(try made.snapshots() == [])
  }

  // MARK: Data after a tar

  /// Makes files and tars of them in pax format, with names that need separate records.
  private func makeTars() throws {
    try made.write("first", to: "one/ä-" + String(repeating: "n", count: 120))
    try made.write("second", to: "two/ö-" + String(repeating: "m", count: 120))
    try shell("tar -H pax -cf a.tar one && tar -H pax -cf b.tar two")
  }

  private func shell(_ command: String) throws {
    let run = try ChildProcess(executable: "/bin/sh", ["-c", "cd \(made.directory.path) && \(command)"])
    #expect(run.waitForExit() == 0, "\(command)")
  }

  @Test(arguments: [
    "cat a.tar b.tar", "cat a.tar b.tar | gzip", "gzip a.tar b.tar; cat a.tar.gz b.tar.gz",
    "(cat a.tar; head -c 1024000 /dev/zero; cat b.tar; head -c 9000000 /dev/zero)",
    "zstd -q --rm a.tar b.tar; cat a.tar.zst b.tar.zst", "bzip2 a.tar b.tar; cat a.tar.bz2 b.tar.bz2",
  ])
  func `concatenated tars are all imported`(command: String) throws {
    try makeTars()
    try shell("(\(command)) >all")
    let importing = try run("import", "all", "--json")
    #expect(importing.status == 0, "\(importing.messages)")
    #expect(try importing.document(Imported.self).fileCount == 2)
    let paths = try listed()
    #expect(paths.count == 4 && paths.contains("two/ö-" + String(repeating: "m", count: 120)), "\(paths)")
  }

  @Test(arguments: [
    "(cat a.tar; echo more)", "(cat a.tar; head -c 5000 /dev/urandom)", "(cat a.tar | gzip; echo more)",
    "(cat a.tar; head -c 600 b.tar | tr one two)", "(bzip2 <a.tar; echo more)",
  ])
  func `bytes after a tar that are no tar are reported`(command: String) throws {
    try makeTars()
    try shell("(\(command)) >all")
    let importing = try run("import", "all", "--json")
    #expect(importing.status == 1, "\(importing.messages)")
    #expect(importing.messages.contains("Other data follow the end of the tar"))
    #expect(try importing.document(Imported.self).fileCount == 1)
    #expect(try listed().first == "one")
  }

  @Test(arguments: ["gnu", "pax"])
  func `the rest of a file that began on another volume is left out`(format: String) throws {
    try made.write(String(repeating: "0123456789", count: 15_000), to: "vol/big")
    try made.write("small", to: "vol/small")
    try shell("printf 'n v2\\nn v3\\n' | tar -M -L 100 -H \(format) -cf v1 vol/big vol/small >/dev/null 2>&1")
    let importing = try run("import", "v2", "--json")
    #expect(importing.status == 1, "\(importing.messages)")
    #expect(importing.messages.contains("was left out: it is continued from another volume"))
    #expect(try importing.document(Imported.self).fileCount == 1)
    #expect(try listed() == ["vol", "vol/small"])
    // The first volume ends within the file.
    #expect(try run("import", "v1").status == 4)
  }

  @Test func `incremental tars of large directories are imported`() throws {
    try FileManager.default.createDirectory(
      atPath: made.directory.path("names/more"), withIntermediateDirectories: true)
    try made.write("content", to: "names/more/file")
    try shell("cd names; seq -f '%0240g' 5000 | xargs touch; cd ..; tar -g snar -H pax -cf all names")
    let importing = try run("import", "all", "--json")
    #expect(importing.status == 0, "\(importing.messages)")
    let imported = try importing.document(Imported.self)
    #expect(imported.fileCount == 5001 && imported.directoryCount == 2)
    #expect(try made.run("cat", "names/more/file").text == "content")
  }

  @Test func `headers that are too long are reported`() throws {
    let script = """
      import tarfile, io
      tar = tarfile.open("all", "w", format=tarfile.PAX_FORMAT, pax_headers={})
      entry = tarfile.TarInfo("a")
      entry.pax_headers = {"comment": "x" * 1500000}
      tar.addfile(entry, io.BytesIO())
      tar.close()
      """
    try made.write(script, to: "make.py")
    try shell("python3 make.py")
    let importing = try run("import", "all")
    #expect(importing.status == 4 && importing.messages.contains("more than 1 MiB of extended headers"))
    #expect(try made.snapshots() == [])
  }

  @Test func `a tar gets its name when it is complete`() throws {
    try made.add("src")
    #expect(try run("export", "--output", "whole.tar").status == 0)
    let whole = try Data(contentsOf: URL(filePath: made.directory.path("whole.tar")))
    let partial = made.directory.path("again.tar.partial")
    // Make files like those that a killed process leaves behind.
    for count in [0, 300, 2000] {
      try whole.prefix(count).write(to: URL(filePath: partial))
      #expect(try run("export", "--output", "again.tar").status == 0)
      #expect(try Data(contentsOf: URL(filePath: made.directory.path("again.tar"))) == whole)
      #expect(!made.exists("again.tar.partial"))
      #expect(try run("export", "--output", "again.tar").status == 4)
      try FileManager.default.removeItem(atPath: made.directory.path("again.tar"))
    }
    try made.write("mine, and no tar", to: "again.tar.partial")
    #expect(try run("export", "--output", "again.tar").status == 4)
    #expect(try made.text(of: "again.tar.partial") == "mine, and no tar")
    #expect(!made.exists("again.tar"))
  }

  @Test func `the top directory of a tar keeps its metadata, too`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o2751], ofItemAtPath: made.directory.path("src"))
    try shell("tar -C src -cf all .")
    #expect(try run("import", "all").status == 0)
    #expect(try made.run("extract", "--target", "out").status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: made.directory.path("out"))
    #expect(attributes[.posixPermissions] as? Int == 0o2751)
  }
}
