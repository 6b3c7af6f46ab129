import Foundation
import TestSupport
import Testing

/// Two commands at once, and commands that do not come to their end.
@Suite struct ToolArchiveInterruptionTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  /// An `add` that has the archive, and waits for more of its input.
  private func startAdding(_ text: String) throws -> ChildProcess {
    let adding = try made.start("add", "--stdin", "pipe")
    // Who has it says so in a file: any other look at the archive might come first, and have it then.
    let end = ContinuousClock.now + .seconds(60)
    while try !made.text(of: "archive/lock").hasPrefix("\(adding.processID)\n"), ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.02)
    }
    adding.write(text)
    return adding
  }

  @Test func `a second add is told who has the archive, or waits`() throws {
    let adding = try startAdding("from a pipe")
    let refused = try made.run("add", "src")
    #expect(refused.status == 3 && refused.messages.contains("\(adding.processID)"))
    #expect(try made.run("list").status == 3)
    let waiting = try made.start("add", "--wait", "600", made.directory.path("src"))
    Thread.sleep(forTimeInterval: 0.2)
    adding.endInput()
    #expect(adding.waitForExit() == 0)
    #expect(waiting.waitForExit() == 0)
    #expect(try made.snapshots().map(\.files) == [1, 5])
    #expect(try made.run("cat", "--snapshot", made.snapshots()[0].id, "pipe").text == "from a pipe")
  }

  @Test func `an add that is killed leaves nothing to be unlocked, and nothing half done`() throws {
    let first = try made.add("src")
    // More than one chunk, of which the first commit comes after two seconds.
    let part = String((0..<400_000).map { Character(UnicodeScalar(UInt8(33 + $0 % 89))) })
    let adding = try startAdding("")
    for _ in 0..<12 { adding.write(part) }
    Thread.sleep(forTimeInterval: 2.3)
    for _ in 0..<6 { adding.write(part) }
    adding.kill()
    #expect(try made.snapshots().map(\.id) == [first.id])
    #expect(try made.run("extract", "--target", "out").status == 0)
    let again = try made.run("add", "src", "--json")
    #expect(again.status == 0)
    #expect(try again.document(ToolArchive.Added.self).unchangedFiles == 5)
    #expect(try ToolRun("store", "verify", made.path, "--key-file", made.keyFile).status == 0)
    let leftovers = try FileManager.default.contentsOfDirectory(atPath: made.directory.path).sorted()
    #expect(leftovers == ["archive", "key", "out", "src"])
  }

  @Test func `a signal ends an add with 130, and loses nothing`() throws {
    let first = try made.add("src")
    let adding = try startAdding("from a pipe")
    kill(pid_t(adding.processID), SIGINT)
    #expect(adding.waitForExit() >> 8 == 130)
    #expect(try made.snapshots().map(\.id) == [first.id])
    #expect(try made.run("add", "src").status == 0)
  }
}
