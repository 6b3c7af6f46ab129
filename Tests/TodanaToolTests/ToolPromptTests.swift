import Foundation
import TestSupport
import Testing

/// Questions of a command on a terminal that another command of the same pipe uses, too.
@Suite struct ToolPromptTests {
  private let made: ToolStore
  private let copy: String

  init() throws {
    made = try ToolStore()
    copy = made.directory.path("copy")
  }

  /// Starts a shell line on a terminal of its own, with `$tool`, `$store` and `$copy`.
  private func terminal(_ line: String) throws -> ChildProcess {
    let script = made.directory.path("script")
    let values = [("tool", ChildProcess.path(ofProduct: "todana")), ("store", made.path), ("copy", copy)]
    let text = values.map { "\($0.0)='\($0.1)'\n" }.joined() + "export TERM=xterm\n\(line)\n"
    try Data(text.utf8).write(to: URL(filePath: script))
    return try ChildProcess(
      executable: "/usr/bin/env",
      ["-u", "TODANA_PASSPHRASE", "-u", "TODANA_NEW_PASSPHRASE", "script", "-qec", "sh '\(script)'", "/dev/null"])
  }

  // The progress of `dump` erased the question of `import`, which writes to the same terminal.
  @Test func `progress of a command in a pipe does not erase the question of the next command`() throws {
    let tool = try terminal(#""$tool" store dump "$store" | "$tool" store import "$copy" --encrypt"#)
    var shown = try #require(tool.output(through: "New passphrase for \(copy): "))
    tool.write("geheim\r")
    shown += try #require(tool.output(through: "Again: "))
    tool.write("geheim\r")
    shown += tool.remainingLines().joined()
    #expect(tool.waitForExit() >> 8 == 0)
    #expect(!shown.contains("\u{1B}") && !shown.contains("dumping"), "\(shown)")
    #expect(shown.contains("Imported 36 records and 2 named buffers."))
  }

  @Test func `a command without a pipe shows its progress`() throws {
    let tool = try terminal(#""$tool" store dump "$store" > "$copy""#)
    #expect(tool.output(through: "dumping: ") != nil)
    _ = tool.remainingLines()
    #expect(tool.waitForExit() >> 8 == 0)
  }

  @Test func `two commands of a pipe ask for their passphrases one after the other`() throws {
    let secret = made.directory.path("secret")
    try Data("alt\n".utf8).write(to: URL(filePath: secret))
    #expect(try ToolRun("store", "encrypt", made.path, "--new-passphrase-file", secret).status == 0)
    let tool = try terminal(#""$tool" store dump "$store" | "$tool" store import "$copy" --encrypt"#)
    let first = try #require(tool.output(through: "Passphrase for \(made.path): "))
    #expect(!first.contains("New passphrase"))
    tool.write("alt\r")
    _ = try #require(tool.output(through: "New passphrase for \(copy): "))
    tool.write("neu\r")
    _ = try #require(tool.output(through: "Again: "))
    tool.write("neu\r")
    _ = tool.remainingLines()
    #expect(tool.waitForExit() >> 8 == 0)
    #expect(try ToolRun(["store", "info", copy], environment: ["TODANA_PASSPHRASE": "neu"]).status == 0)
  }

  @Test func `an import whose dump failed does not ask for a passphrase`() throws {
    let tool = try terminal(#""$tool" store dump "$store-missing" | "$tool" store import "$copy" --encrypt"#)
    let shown = tool.remainingLines().joined(separator: "\n")
    #expect(tool.waitForExit() >> 8 == 4)
    #expect(shown.contains("is empty, so it is not a dump") && !shown.contains("New passphrase"), "\(shown)")
  }
}
