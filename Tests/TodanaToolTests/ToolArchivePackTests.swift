import Foundation
import TestSupport
import Testing

/// Entire archives in one file or pipe, and back.
@Suite struct ToolArchivePackTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
    try made.write(String(repeating: "large enough for a chunk ", count: 8_000), to: "src/large")
    try made.add("src")
  }

  private struct Report: Decodable {
    let path: String
    let identity: String
    let commitNumber: Int
    let fileCount: Int
    let byteCount: Int
  }

  private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ToolRun {
    try ToolRun(["archive"] + arguments, environment: environment, workingDirectory: made.directory.path)
  }

  /// Runs a shell line in the directory, with `todana` as the tool.
  private func shell(_ line: String) throws -> Int32 {
    let script = #"tool=$2; todana() { "$tool" "$@"; }; line=$3; cd "$1" && eval "$line""#
    return try ChildProcess(
      executable: "/bin/bash",
      ["-c", script, "bash", made.directory.path, ChildProcess.path(ofProduct: "todana"), line]
    ).waitForExit() >> 8
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: made.directory.path).sorted() }
  }

  @Test func `a pack holds an entire archive, which can be used after unpacking`() throws {
    let packed = try made.run("pack", "pack.tar")
    #expect(packed.status == 0 && packed.text.hasPrefix("Packed archive as of commit "))
    let unpacked = try run("unpack", "copy", "pack.tar")
    #expect(unpacked.status == 0 && unpacked.text.hasPrefix("Unpacked copy as of commit "))
    #expect(try names == ["archive", "copy", "key", "pack.tar", "src"])
    let before = try made.contents()
    var after = try ToolArchive.contents(of: made.directory.path("copy"))
    // The file `copied` marks a copy, which must write with a new key.
    #expect(after.removeValue(forKey: "copied") == Data())
    #expect(after == before)
    #expect(try run("verify", "copy", "--key-file", "key").status == 0)
    let list = try run("list", "copy", "-r", "--json", "--key-file", "key")
    #expect(try list.text == made.run("list", "-r", "--json").text && !list.text.isEmpty)

    let keys = after["keys"]
    try made.write("later", to: "src/later")
    #expect(try run("add", "copy", "src", "--key-file", "key").status == 0)
    #expect(try run("cat", "copy", "src/later", "--key-file", "key").text == "later")
    after = try ToolArchive.contents(of: made.directory.path("copy"))
    #expect(after["copied"] == nil && after["keys"] != keys && keys != nil)
    #expect(try made.snapshots().count == 1 && made.contents() == before)
    #expect(try run("verify", "copy", "--key-file", "key").status == 0)
  }

  @Test func `a pack can be piped, and any tar can read it`() throws {
    let line = "set -o pipefail; todana archive pack archive --key-file key | todana archive unpack copy"
    #expect(try shell(line) == 0)
    #expect(try run("verify", "copy", "--key-file", "key").status == 0)
    #expect(try shell("todana archive pack archive - --key-file key > pack.tar") == 0)
    // Standard tools can list, check and unpack it.
    let check = "mkdir by-hand && cd by-hand && tar -xf ../pack.tar && sha256sum --quiet --strict -c SHA256SUMS"
    #expect(try shell(check) == 0)
    #expect(try shell("head -n 1 by-hand/todana-pack | grep -qx 'Todana pack 1'") == 0)
    #expect(try run("verify", "by-hand/archive", "--key-file", "key").status == 0)
    // A pipe without a reader causes an error, not a signal.
    let status = try shell("todana archive pack archive --key-file key 2> said | true; exit ${PIPESTATUS[0]}")
    #expect(status == 4 || status == 0)
    #expect(try status == 0 || made.text(of: "said").contains("Broken pipe"))
  }

  @Test func `reports have a JSON form, and the environment names the archive`() throws {
    let packed = try made.run("pack", "pack.tar", "--json").document(Report.self)
    let unpacked = try run("unpack", "copy", "pack.tar", "--json").document(Report.self)
    #expect(packed.path == "archive" && unpacked.path == "copy")
    #expect(packed.identity == unpacked.identity && packed.commitNumber == unpacked.commitNumber)
    #expect(packed.fileCount == unpacked.fileCount && packed.fileCount > 5 && packed.byteCount == unpacked.byteCount)
    let variables = ["TODANA_ARCHIVE": "archive"]
    #expect(try run("pack", "other.tar", "--key-file", "key", environment: variables).status == 0)
    // With one argument, the environment names the archive, which exists already. Two arguments name archive and pack.
    #expect(try run("unpack", "other.tar", environment: variables).status == 4)
    #expect(try run("unpack", "other", "other.tar", environment: variables).status == 0)
    #expect(try run("unpack", "one", "two", "three").status == 2)
    #expect(try run("pack", "archive", "--key-file", "key", "--json").status == 2)
    #expect(try run("pack").status == 2)
  }

  @Test func `existing files are never replaced`() throws {
    #expect(try made.run("pack", "pack.tar").status == 0)
    try made.write("mine", to: "mine")
    let before = try made.contents()
    for (target, status) in [("archive", 4), ("src", 4), ("mine", 4)] {
      let refused = try run("unpack", target, "pack.tar")
      #expect(refused.status == status && refused.messages.contains(target), "\(refused.messages)")
    }
    #expect(try made.contents() == before && made.text(of: "mine") == "mine")
    let refused = try made.run("pack", "mine")
    #expect(refused.status == 4 && refused.messages.contains("mine"))
    #expect(try made.text(of: "mine") == "mine")
    // Files left behind by a killed process are removed; foreign files stay.
    try made.write("todana-pack and so on", to: "new.partial")
    #expect(try made.run("pack", "new").status == 0)
    try made.write("somebody's", to: "other.partial")
    #expect(try made.run("pack", "other").status == 4)
    #expect(try made.text(of: "other.partial") == "somebody's")
    #expect(try made.run("pack", "no/such/directory").status == 4)
    #expect(try run("unpack", "no/such/directory", "pack.tar").status == 4)
    #expect(try names == ["archive", "key", "mine", "new", "other.partial", "pack.tar", "src"])
    try FileManager.default.createDirectory(atPath: made.directory.path("empty"), withIntermediateDirectories: false)
    #expect(try run("unpack", "empty", "pack.tar").status == 0)
  }

  @Test func `truncated, damaged or foreign input leaves nothing`() throws {
    #expect(try made.run("pack", "pack.tar").status == 0)
    let pack = try Data(contentsOf: URL(filePath: made.directory.path("pack.tar")))
    func status(_ bytes: Data) throws -> Int32 {
      try bytes.write(to: URL(filePath: made.directory.path("bad")))
      let run = try run("unpack", "copy", "bad")
      #expect(run.messages.hasPrefix("todana: ") && run.output.isEmpty)
      #expect(try names == ["archive", "bad", "key", "pack.tar", "src"])
      return run.status
    }
    #expect(try status(Data()) == 3)
    #expect(try status(Data("no pack".utf8)) == 3)
    #expect(try status(Data((0..<100_000).map { _ in UInt8.random(in: 0...255) })) == 3)
    #expect(try run("unpack", "copy", "no-such-file").status == 3)
    for count in [100, 512, 1024, 5000, pack.count / 2, pack.count - 1024, pack.count - 1] {
      #expect(try status(pack.prefix(count)) == 4, "\(count) of \(pack.count) bytes")
    }
    #expect(try status(pack + [0]) == 4)
    for _ in 0..<20 {
      var damaged = pack
      let place = Int.random(in: 512..<pack.count)
      damaged[place] ^= 1 << UInt8.random(in: 0..<8)
      #expect(try status(damaged) == 4, "byte \(place)")
    }
    var newer = pack
    newer.replaceSubrange(512..<525, with: Data("Todana pack 2".utf8))
    #expect(try status(newer) == 3)
  }

  /// Starts unpacking a pack of which only the first bytes have come through a named pipe.
  private func startUnpacking(_ byteCount: Int) throws -> (tool: ChildProcess, pipe: FileHandle) {
    let pack = try Data(contentsOf: URL(filePath: made.directory.path("pack.tar")))
    let path = made.directory.path("fifo")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let tool = try ChildProcess(product: "todana", ["archive", "unpack", made.directory.path("copy"), path])
    let pipe = try FileHandle(forWritingTo: URL(filePath: path))
    try pipe.write(contentsOf: pack.prefix(byteCount))
    let end = ContinuousClock.now + .seconds(60)
    while !made.exists("copy.partial/0001.kch.sums") && !made.exists("copy.partial/0000-states.tds"),
      ContinuousClock.now < end
    {
      Thread.sleep(forTimeInterval: 0.02)
    }
    #expect(made.exists("copy.partial") && !made.exists("copy"))
    return (tool, pipe)
  }

  @Test func `a killed unpack leaves no archive, and no obstacle`() throws {
    #expect(try made.run("pack", "pack.tar").status == 0)
    let (tool, pipe) = try startUnpacking(60_000)
    // A second process is refused.
    #expect(try run("unpack", "copy", "pack.tar").status == 3)
    tool.kill()
    try pipe.close()
    #expect(!made.exists("copy") && made.exists("copy.partial"))
    #expect(try run("unpack", "copy", "pack.tar").status == 0)
    #expect(try run("verify", "copy", "--key-file", "key").status == 0)
    #expect(!made.exists("copy.partial"))
  }

  @Test func `a signal ends the wait for more of a pack, and nothing is left`() throws {
    #expect(try made.run("pack", "pack.tar").status == 0)
    let (tool, pipe) = try startUnpacking(60_000)
    kill(pid_t(tool.processID), SIGINT)
    #expect(tool.waitForExit() >> 8 == 130)
    try pipe.close()
    #expect(try names == ["archive", "fifo", "key", "pack.tar", "src"])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `a pack is neither written to nor read from a terminal`() throws {
    for command in ["pack archive --key-file key", "unpack copy"] {
      let words = "\(ChildProcess.path(ofProduct: "todana")) archive \(command)"
      #expect(try shell("script -qec '\(words)' /dev/null > shown < /dev/null") == 2)
      #expect(try made.text(of: "shown").contains("terminal"))
    }
    #expect(!made.exists("copy"))
  }
}
