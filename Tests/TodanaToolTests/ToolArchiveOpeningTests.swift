import Foundation
import TestSupport
import Testing
import Todana

/// The making and opening of archives: paths, passphrases, keys and their errors.
@Suite struct ToolArchiveOpeningTests {
  @Test func `an archive is named by the environment as well`() throws {
    let made = try ToolArchive(isMade: false)
    try made.write("one", to: "a")
    func run(_ arguments: String...) throws -> ToolRun {
      try ToolRun(
        ["archive"] + arguments + ["--key-file", "key"], environment: ["TODANA_ARCHIVE": made.path],
        workingDirectory: made.directory.path)
    }
    #expect(try run("init").status == 0)
    #expect(try run("add", "a", "--tag", "x").status == 0)
    #expect(try run("cat", "a").text == "one")
    #expect(try run("list").lines == ["a"])
    #expect(try run("find", "a").lines.count == 1)
    #expect(try run("diff", "latest", "latest").status == 0)
    #expect(try run("tag", "latest", "--add", "y").status == 0)
    #expect(try run("snapshots", "--json").values(ToolArchive.Snapshot.self).map(\.tags) == [["x", "y"]])
    #expect(try run("prune", "--keep-last", "1").status == 0)
    #expect(try run("extract", "--target", "out").status == 0)
    #expect(try run("stats").status == 0)
    #expect(try run("remove", "latest").status == 0)
    for command in ["list", "add", "snapshots", "cat"] {
      #expect(try ToolRun("archive", command, "--key-file", made.keyFile).status == 2)
    }
  }

  @Test func `passphrases come from files, commands and the environment`() throws {
    let made = try ToolArchive(isMade: false)
    try made.write("a passphrase\r\n", to: "passphrase")
    try made.write("another", to: "wrong")
    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Int32 {
      try ToolRun(["archive"] + arguments, environment: environment, workingDirectory: made.directory.path).status
    }
    #expect(try run("init", "archive", "--passphrase-file", "passphrase") == 0)
    #expect(try run("snapshots", "archive", "--passphrase-command", "echo a passphrase") == 0)
    #expect(try run("snapshots", "archive", environment: ["TODANA_PASSPHRASE": "a passphrase"]) == 0)
    let before = try made.contents()
    #expect(try run("snapshots", "archive", "--passphrase-file", "wrong") == 3)
    #expect(try run("add", "archive", "passphrase", "--passphrase-command", "echo other") == 3)
    #expect(try run("add", "archive", "passphrase", "--key-file", "key") == 3)
    #expect(try run("add", "archive", "passphrase") == 3)
    #expect(try run("add", "archive", "passphrase", "--passphrase-file", "nowhere") == 3)
    #expect(try run("add", "archive", "passphrase", "--passphrase-command", "false") == 3)
    #expect(try run("list", "archive", "--passphrase-file", "a", "--key-file", "key") == 2)
    #expect(try made.contents() == before)
  }

  @Test func `an archive without encryption is made only on request`() throws {
    let made = try ToolArchive(isMade: false)
    func run(_ arguments: String...) throws -> ToolRun {
      try ToolRun(["archive"] + arguments, workingDirectory: made.directory.path)
    }
    #expect(try run("init", "archive").status == 2)
    #expect(try run("init", "archive", "--plain", "--key-file", "key").status == 2)
    #expect(try run("init", "archive", "--key-file", "nowhere").status == 3)
    #expect(try run("init", "archive", "--plain", "--compression", "lzma").status == 2)
    for size in ["1000", "128", "2M", "many", "-1"] {
      #expect(try run("init", "archive", "--plain", "--chunk-size=\(size)").status == 2)
    }
    try made.write("short", to: "short-key")
    #expect(try run("init", "archive", "--key-file", "short-key").status != 0)
    #expect(!made.exists("archive"))
    let done = try run("init", "archive", "--plain")
    #expect(done.status == 0 && done.lines == ["Created the archive archive, not encrypted."])
    #expect(try run("add", "archive", "key").status == 0)
    #expect(try run("list", "archive").lines == ["key"])
    #expect(try run("list", "archive", "--key-file", "key").status == 3)
  }

  @Test func `chunks have the size that init was given`() throws {
    let made = try ToolArchive(isMade: false)
    #expect(try made.run("init", "--chunk-size", "1k").status == 0)
    // Files smaller than 64 KiB are stored together with other small files.
    var generator = SeededGenerator(seed: 1)
    let data = Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try data.write(to: URL(filePath: made.directory.path("data")))
    #expect(try made.run("add", "data").status == 0)
    struct Stats: Decodable { let contentCount: Int }
    #expect((50...150).contains(try made.run("stats", "--json").document(Stats.self).contentCount))
    #expect(try made.run("cat", "data").output == data)
  }

  @Test func `an archive is made only in a new or empty directory`() throws {
    let made = try ToolArchive()
    try made.write("mine", to: "full/file")
    try FileManager.default.createDirectory(atPath: made.directory.path("empty"), withIntermediateDirectories: true)
    let before = try ToolArchive.contents(of: made.directory.path)
    for name in ["archive", "full", "key", "full/file"] {
      let run = try ToolRun(
        ["archive", "init", name, "--key-file", "key"], workingDirectory: made.directory.path)
      #expect(run.status == 4, "\(name): \(run.messages)")
    }
    #expect(try ToolArchive.contents(of: made.directory.path) == before)
    let run = try ToolRun(
      ["archive", "init", "empty", "--key-file", "key", "--json"], workingDirectory: made.directory.path)
    struct Report: Decodable {
      let path: String
      let identity: String
      let isEncrypted: Bool
    }
    let report = try run.document(Report.self)
    #expect(run.status == 0 && report.path == "empty" && report.isEncrypted)
  }

  @Test func `a path that is no archive is not opened and not changed`() throws {
    let made = try ToolArchive()
    try made.write("mine", to: "full/file")
    try FileManager.default.createDirectory(atPath: made.directory.path("empty"), withIntermediateDirectories: true)
    let store = try Store(.directory(made.directory.path("store")), classes: [Song.self])
    try store.insert(Song("one"))
    try store.saveChanges()
    try store.close()
    let before = try ToolArchive.contents(of: made.directory.path)
    for name in ["nowhere", "full", "empty", "key", "store"] {
      for command in [["list", name], ["add", name, "key"], ["prune", name, "--keep-last", "1"], ["stats", name]] {
        let run = try ToolRun(["archive"] + command, workingDirectory: made.directory.path)
        #expect(run.status == 3, "\(command): \(run.messages)")
        #expect(run.messages.contains(name))
      }
    }
    #expect(try ToolArchive.contents(of: made.directory.path) == before)
  }

  @Test(arguments: [
    "init", "add", "snapshots", "list", "find", "diff", "cat", "extract", "stats", "remove", "prune", "tag",
  ]) func `each command has help`(_ command: String) throws {
    let run = try ToolRun("archive", command, "--help")
    #expect(run.status == 0 && run.text.contains("USAGE: todana archive \(command)"))
    #expect(run.lines.allSatisfy { $0.count <= 80 })
  }

  /// Lets the shell write the byte, which Swift's strings cannot contain.
  @Test func `paths that are not UTF-8 are used as they were typed`() throws {
    let made = try ToolArchive()
    func shell(_ script: String) throws -> ToolRun {
      try ToolRun(
        ["archive", "--key-file", "key"], workingDirectory: made.directory.path,
        runner: [
          "sh", "-c", "name=$(printf 'caf\\351'); other=$(printf 'caf\\350'); tool=$1; \(script)", "sh",
        ])
    }
    let key = "--key-file key"
    let run = try shell(
      """
      echo one >"$name"; echo two >"$other"; mkdir "$name.d"; echo three >"$name.d/x"
      "$tool" archive add archive "$name" "$other" "$name.d" \(key) || exit 10
      "$tool" archive cat archive "$other" "$name" \(key) || exit 11
      "$tool" archive extract archive "$name" --target "$name.out" --quiet \(key) || exit 12
      cmp "$name" "$name.out/$name" || exit 13
      "$tool" archive find archive "$name*" \(key) || exit 14
      "$tool" archive add archive "$name.d" --exclude "$name.d/x" --exclude x \(key) || exit 15
      private=$(printf '\\364\\217\\237\\251'); echo four >"$private"; "$tool" archive add archive "$private" \(key) || exit 16
      "$tool" archive cat archive "$private" \(key) || exit 17
      "$tool" archive add archive "$name.missing" key \(key)
      """)
    #expect(run.status == 1, "\(run.messages)")
    #expect(run.text.contains("two\none\n"))
    #expect(run.messages.contains("caf\\xe9.missing"))
    let first = try #require(try made.snapshots().first)
    let listed = try made.run("list", "--snapshot", first.id, "--json").values(ToolArchive.Listed.self)
    let name = Data("caf".utf8) + [0xE9]
    #expect(listed.map(\.pathBytes) == [Data("caf".utf8) + [0xE8], name, name + Data(".d".utf8)])
    #expect(try shell(#""$tool" archive add archive key --tag "$name" --key-file key"#).status == 2)
    #expect(try shell(#""$tool" archive list "$name" --key-file key"#).status == 2)
  }

  @Test func `key commands use the archive that the environment names`() throws {
    let made = try ToolArchive()
    func run(_ arguments: String...) throws -> ToolRun {
      try ToolRun(
        ["archive", "key"] + arguments, environment: ["TODANA_ARCHIVE": made.path, "TODANA_NEW_PASSPHRASE": "another"],
        workingDirectory: made.directory.path)
    }
    #expect(try run("add", "--key-file", "key").status == 0)
    let list = try run("list", "--key-file", "key")
    #expect(list.status == 0 && list.lines.count == 3, "\(list.text)\(list.messages)")
    #expect(try run("list", "--help").text.contains("USAGE"))
    #expect(try run("nonsense").status == 2)
  }
}
