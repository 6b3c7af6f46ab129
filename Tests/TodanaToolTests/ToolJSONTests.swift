import Foundation
import TestSupport
import Testing
import Todana

/// The JSON of each command, compared with its document.
@Suite struct ToolJSONTests {
  let schema: ToolSchema

  init() throws { schema = try ToolSchema() }

  /// Checks the output of a run against the documented fields.
  private func check(_ command: String, _ run: ToolRun, status: Int32 = 0, values: ClosedRange<Int>? = nil) throws {
    #expect(run.status == status, "\(command): \(run.messages)")
    let isList = schema.lists.contains(command)
    #expect((values ?? (isList ? 1...10_000 : 1...1)).contains(run.lines.count), "\(command): \(run.text)")
    for value in try run.values(JSONValue.self) { #expect(schema.problems(of: value, command) == []) }
  }

  private static let storeCommands = [
    "store info", "store classes", "store list", "store query", "store query --count", "store get", "store names",
    "store name",
    "store verify",
    "store salvage", "store import", "store backup", "store backup --series", "store restore", "store backups list",
    "store backups verify", "store compact", "store drop", "store index list", "store index rebuild", "store key list",
    "store key add", "store key change", "store key rotate", "store rotate",
  ]

  private static let archiveCommands = [
    "archive init", "archive add", "archive tar import", "archive snapshots", "archive list", "archive find",
    "archive diff", "archive extract", "archive stats", "archive tag", "archive remove", "archive prune",
    "archive verify", "archive compact", "archive compact --dry-run", "archive rewrite", "archive copy",
    "archive pack", "archive unpack", "archive key list", "archive key add", "archive key change",
    "archive key rotate",
  ]

  @Test func `each command is documented and tested, and each documented command exists`() throws {
    #expect(Set(schema.commands.keys) == Set(Self.storeCommands + Self.archiveCommands))
    let help = try ToolRun("--experimental-dump-help").document(DumpedHelp.self)
    var found: Set<String> = []
    help.command.forEach { words, command in
      if command.hasJSON { found.insert(words.joined(separator: " ")) }
    }
    let documented = Set(schema.commands.keys.map { $0.replacing(/\ --.*/, with: "") })
    #expect(found == documented)
  }

  @Test(arguments: storeCommands) func `the JSON of a store's command has the documented fields`(
    _ command: String
  ) throws {
    let made = try ToolStore(isEncrypted: true)
    let directory = made.directory
    let words = command.split(separator: " ").map(String.init)
    let secret = made.secret
    let newKey = directory.path("new-key")
    try Data([UInt8](repeating: 9, count: 16)).write(to: URL(filePath: newKey))
    func run(_ arguments: String..., secret: [String]) throws -> ToolRun {
      try ToolRun(words + ["--json"] + arguments + secret)
    }
    switch command {
    case "store query", "store query --count":
      let store = try Store(
        .directory(made.path), classes: [FieldSample.self],
        configuration: StoreConfiguration(encryption: .key(ToolStore.key)))
      try store.insert(FieldSample())
      try store.saveChanges()
      try store.close()
      try check(command, run(made.path, "Sample", secret: secret))
    case "store list", "store index rebuild": try check(command, run(made.path, "IndexedSong", secret: secret))
    case "store drop": try check(command, run(made.path, "IndexedSong", "--yes", secret: secret))
    case "store get": try check(command, run(made.path, "Playlist", "1", secret: secret))
    case "store name": try check(command, run(made.path, "favourites", secret: secret))
    case "store salvage", "store backup", "store backup --series":
      try check(command, run(made.path, directory.path("copy"), secret: secret))
    case "store import":
      let dump = try made.run("dump", made.path).text
      try check(command, ToolRun(words + ["--json", directory.path("copy")], input: dump))
    case "store restore", "store backups list", "store backups verify":
      let series = directory.path("series")
      #expect(try made.run("backup", "--series", made.path, series).status == 0)
      let target = command == "store restore" ? [directory.path("copy")] : []
      try check(command, ToolRun(words + ["--json", series] + target))
    case "store key add": try check(command, run(made.path, "--recovery-key", secret: secret))
    case "store key change", "store key rotate", "store rotate":
      try check(command, run(made.path, "--new-key-file", newKey, secret: secret))
    default: try check(command, run(made.path, secret: secret))
    }
  }

  @Test func `the JSON of damage has the documented fields`() throws {
    let made = try ToolStore()
    let file =
      made.path + "/"
      + (try #require(
        FileManager.default.contentsOfDirectory(atPath: made.path).first { $0.hasSuffix("-Song.kch") }))
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes.replaceSubrange(0..<4096, with: Data(count: 4096))
    try bytes.write(to: URL(filePath: file))
    for command in ["info", "classes", "verify"] {
      try check("store \(command)", made.run(command, "--json", made.path), status: 1)
    }
    try check("store salvage", made.run("salvage", "--json", made.path, made.directory.path("new")), status: 1)
  }

  @Test(arguments: archiveCommands) func `the JSON of an archive's command has the documented fields`(
    _ command: String
  ) throws {
    let made = try ToolArchive(isMade: command != "archive init")
    let words = command.split(separator: " ").map(String.init)
    try Data([UInt8](repeating: 9, count: 16)).write(to: URL(filePath: made.directory.path("new-key")))
    func run(_ arguments: String..., secret: [String] = ["--key-file", "key"], runner: [String] = []) throws -> ToolRun
    {
      try ToolRun(words + ["--json"] + arguments + secret, workingDirectory: made.directory.path, runner: runner)
    }
    try made.makeTree()
    var snapshots: [ToolArchive.Snapshot] = []
    if command != "archive init" {
      try made.add("src")
      try made.write("changed", to: "src/a.txt")
      try made.add("src", "--label", "other")
      snapshots = try made.snapshots()
    }
    switch command {
    case "archive add", "archive find":
      try check(command, run("archive", command == "archive add" ? "src" : "*.txt"))
    case "archive tar import":
      try check(
        command,
        ToolRun(
          words + ["--json", "archive", "--key-file", "key"], workingDirectory: made.directory.path,
          runner: ["sh", "-c", "tar -c src | \"$@\"", "sh"]))
    case "archive list": try check(command, run("archive", "-r"))
    case "archive diff": try check(command, run("archive", snapshots[0].id, snapshots[1].id), status: 1)
    case "archive extract", "archive unpack", "archive pack", "archive copy":
      let key = ["--key-file", "key"]
      if command == "archive extract" { return try check(command, run("archive", "--target", "out")) }
      if command == "archive pack" { return try check(command, run("archive", "pack.tar")) }
      if command == "archive unpack" {
        #expect(try made.run("pack", "pack.tar").status == 0)
        return try check(command, run("copy", "pack.tar", secret: []))
      }
      #expect(
        try ToolRun(["archive", "init", "other"] + key, workingDirectory: made.directory.path).status == 0)
      try check(command, run("archive", "other"), values: 2...2)
    case "archive tag": try check(command, run("archive", snapshots[0].id, "--add", "x"))
    case "archive remove": try check(command, run("archive", snapshots[0].id))
    case "archive prune": try check(command, run("archive", "--keep-last", "1"))
    case "archive rewrite": try check(command, run("archive", "--exclude", "*.log"), values: 2...2)
    case "archive key add": try check(command, run("archive", "--recovery-key"))
    case "archive key change", "archive key rotate":
      try check(command, run("archive", "--new-key-file", "new-key"))
    default: try check(command, run("archive"))
    }
  }

  @Test func `paths that are not UTF-8 are reported with their bytes`() throws {
    let made = try ToolArchive()
    func run(_ line: String) throws -> ToolRun {
      let script = "name=$(printf 'caf\\351'); \(line)"
      return try ToolRun(
        [], workingDirectory: made.directory.path,
        runner: ["sh", "-c", "tool=$0; eval \"$1\"", ChildProcess.path(ofProduct: "todana"), script])
    }
    func check(_ line: String, _ command: String, _ name: String) throws {
      let found = try run(line)
      #expect(found.status == 0, "\(line): \(found.messages)")
      let value = try found.document(JSONValue.self)
      #expect(schema.problems(of: value, command) == [])
      #expect(found.text.contains("\"\(name)\":"), "\(found.text)")
    }
    let key = "--key-file key --json"
    #expect(try run(#"echo x >"$name"; "$tool" archive add archive "$name" --key-file key"#).status == 0)
    try check(#""$tool" archive extract archive --target "$name.out" \#(key)"#, "archive extract", "targetBytes")
    try check(#""$tool" archive prune archive --keep-last 1 \#(key)"#, "archive prune", "pathBytes")
    try check(#""$tool" archive list archive \#(key)"#, "archive list", "pathBytes")
  }

  @Test(arguments: ["archive init", "store info", "archive snapshots", "store backups list", "store import"])
  func `the path of a store must be UTF-8`(_ command: String) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let run = try ToolRun(
      [], workingDirectory: directory.path,
      runner: [
        "sh", "-c", #"name=$(printf 'caf\351'); exec "$0" $1 "$name""#, ChildProcess.path(ofProduct: "todana"), command,
      ])
    #expect(run.status == 2 && run.messages.contains(#"caf\xe9” is not UTF-8"#), "\(run.messages)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }
}

/// The commands and options of the tool, as the parser prints them for other programs.
struct DumpedHelp: Decodable {
  let command: Command

  struct Command: Decodable {
    let commandName: String
    let arguments: [Argument]?
    let subcommands: [Command]?

    var hasJSON: Bool { (arguments ?? []).contains { ($0.names ?? []).contains { $0.name == "json" } } }

    /// Calls a closure for each command below this one, with its words.
    func forEach(_ words: [String] = [], _ body: ([String], Command) -> Void) {
      for command in subcommands ?? [] {
        body(words + [command.commandName], command)
        command.forEach(words + [command.commandName], body)
      }
    }
  }

  struct Argument: Decodable {
    let names: [Name]?

    struct Name: Decodable { let name: String }
  }
}
