import Foundation
import TestSupport
import Testing

/// Output on terminals: as much as fits, and none after the terminal is gone.
@Suite struct ToolTerminalTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  @Test func `an add outlives the terminal that it was started from`() throws {
    let terminal = try PseudoTerminal()
    let tool = ChildProcess.path(ofProduct: "todana")
    // Run the tool as under nohup, but with the terminal as the output.
    let adding = try ChildProcess(
      executable: "/bin/sh",
      [
        "-c", "trap '' HUP; TERM=xterm; export TERM; exec \"$@\" >\"$0\" 2>&1", terminal.path, tool, "archive", "add",
        made.path, "--stdin", "pipe", "--key-file", made.keyFile,
      ])
    try made.waitUntilOpen(by: adding)
    adding.write("before")
    terminal.close()
    adding.write(" and after")
    adding.endInput()
    #expect(adding.waitForExit() == 0)
    #expect(try made.run("cat", "pipe").text == "before and after")
  }

  @Test func `progress stays on one line, however wide its characters are`() throws {
    let directory = String(repeating: "戸棚", count: 20)
    for name in 0..<3 { try made.write("content", to: "\(directory)/\(String(repeating: "漢", count: 30))\(name)") }
    let terminal = try PseudoTerminal(columns: 80)
    let run = try made.run("add", directory + "/", environment: ["TERM": "xterm"], runner: terminal.asError)
    #expect(run.status == 0)
    let shown = terminal.text().components(separatedBy: "\r\u{1B}[K").filter { !$0.isEmpty }
    #expect(!shown.isEmpty)
    for line in shown {
      let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
      #expect(columns < 80 && !line.contains("\n") && !line.contains("//"), "\(line)")
    }
    #expect(shown.contains { $0.contains("…") && $0.contains("漢") })
  }

  @Test(arguments: ["dumb", ""])
  func `terminals that cannot rewrite a line get no progress`(_ type: String) throws {
    try made.write("content", to: "file")
    let terminal = try PseudoTerminal()
    let run = try made.run("add", "file", "gone", environment: ["TERM": type], runner: terminal.asError)
    #expect(run.status == 1)
    let text = terminal.text()
    #expect(text.contains("gone") && !text.contains("\u{1B}"))
  }

  @Test func `lists of snapshots are as wide as the terminal, and complete in a pipe`() throws {
    let directories = ["one", "two"].map { "a/very/long/path/that/goes/on/for/quite/some/time/to/\($0)" }
    let host = "a-host-with-a-name-that-is-longer-than-most.example.org"
    for directory in directories {
      try made.write("content", to: directory + "/file")
      try made.add(directory, "--host", host)
    }
    let piped = try made.run("snapshots").text
    #expect(directories.allSatisfy { piped.contains($0) } && piped.contains(host))
    func shown(_ columns: UInt16) throws -> [String] {
      let terminal = try PseudoTerminal(columns: columns)
      #expect(try made.run("snapshots", runner: terminal.asOutput).status == 0)
      return terminal.text().split(whereSeparator: \.isNewline).map(String.init)
    }
    #expect(try shown(250).joined(separator: "\n") + "\n" == piped)
    let narrow = try shown(100)
    #expect(narrow.count == 3 && narrow.allSatisfy { $0.count <= 100 })
    #expect(narrow[1].contains("…") && narrow[1].contains("one ") && narrow[2].contains("two "))
  }
}
