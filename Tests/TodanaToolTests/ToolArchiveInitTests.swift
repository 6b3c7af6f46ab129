import Foundation
import TestSupport
import Testing

/// `todana archive init`: new archives, including those made after an interrupted run.
@Suite struct ToolArchiveInitTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive(isMade: false) }

  @Test func `parent directories are made only on request`() throws {
    func initialize(_ path: String, _ options: String...) throws -> ToolRun {
      try ToolRun(["archive", "init", path, "--plain"] + options, workingDirectory: made.directory.path)
    }
    let refused = try initialize("no/such/archive")
    #expect(refused.status == 4)
    #expect(refused.messages.contains("no/such” does not exist: nothing was created."), "\(refused.messages)")
    #expect(!made.exists("no"))
    #expect(try initialize("no/such/archive", "--parents").status == 0)
    #expect(made.exists("no/such/archive/superblock"))
  }

  @Test(arguments: [false, true])
  func `a killed init does not prevent the next one`(isEncrypted: Bool) throws {
    try made.write("a passphrase", to: "passphrase")
    let secret = isEncrypted ? ["--passphrase-file", made.directory.path("passphrase")] : ["--plain"]
    var unfinishedCount = 0
    for round in 0..<(LongTests.areEnabled ? 60 : 8) {
      try? FileManager.default.removeItem(atPath: made.path)
      let making = try ChildProcess(product: "todana", ["archive", "init", made.path] + secret)
      // Deriving the key takes much longer than making a store.
      usleep(.random(in: 0..<(isEncrypted ? 400_000 : 20_000)))
      making.kill()
      let again = try ToolRun(["archive", "init", "archive"] + secret, workingDirectory: made.directory.path)
      // The archive may have been complete before the process was killed.
      #expect(again.status == 0 || again.status == 4 && again.messages.contains("is not an empty directory"))
      if again.status == 0 { unfinishedCount += 1 }
      let verified = try ToolRun(
        ["archive", "verify", "archive"] + (isEncrypted ? secret : []), workingDirectory: made.directory.path)
      #expect(verified.status == 0, "round \(round): \(verified.messages)")
    }
    #expect(unfinishedCount > 0)
  }

  @Test func `existing archives and foreign files are left unchanged`() throws {
    let other = try ToolArchive()
    let contents = try other.contents()
    #expect(try other.run("init").status == 4)
    #expect(try other.contents() == contents)
    try made.write("mine", to: "archive/superblock.mine")
    #expect(try made.run("init").status == 4)
    #expect(try made.text(of: "archive/superblock.mine") == "mine")
    // Try a directory that is not a store, with a file that is named like a store's file.
    try made.write("mine", to: "named/superblock")
    let run = try ToolRun(["archive", "init", "named", "--plain"], workingDirectory: made.directory.path)
    #expect(run.status == 4)
    #expect(try made.text(of: "named/superblock") == "mine")
  }
}
