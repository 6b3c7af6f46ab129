import Foundation
import TerminalText
import TestSupport
import Testing

/// The example of a search field on a terminal.
@Suite struct TextSearchDemoTests {
  private static let lines = [
    "Blue in Green", "Kind of Blue", "Blueberry Hill", "青い影", "東京 大阪 京都 名古屋 札幌 福岡 神戸 横浜 川崎 広島 仙台 千葉 新潟 浜松 熊本 岡山",
    "Кошка", "bad \u{1B}[31mescape\u{7}", "",
  ]

  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    file = directory.path("lines")
    try Data(Self.lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
  }

  @Test func `results change with each key, and the terminal is restored`() async throws {
    let demo = try SearchField(file)
    _ = try await demo.screen { $0.hasPrefix("Search:") && $0.contains("7 lines") }
    #expect(!demo.terminal.editsLines)
    demo.terminal.type("blue")
    _ = try await demo.screen {
      $0.contains("3 of 7 lines, results") && $0.contains("blue 2   blueberry 1") && $0.contains("Hill")
    }
    #expect(demo.marked.contains("Kind of [Blue]") && demo.marked.contains("[Blueberry] Hill"))
    demo.terminal.type("b")
    let narrowed = try await demo.screen { $0.contains("1 of 7 lines, results") }
    #expect(narrowed.contains("Blueberry Hill") && !narrowed.contains("Kind of"))
    demo.terminal.type("\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}")
    _ = try await demo.screen { $0.contains("\n7 lines") && !$0.contains("Blue") }
    demo.terminal.type("\u{1B}")
    #expect(try await demo.end() == 0)
    #expect(demo.terminal.editsLines)
    #expect(demo.shown.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test func `characters may arrive byte by byte, and unknown keys count for nothing`() async throws {
    let demo = try SearchField(file)
    _ = try await demo.screen { $0.contains("7 lines") }
    for byte in "кош".utf8 {
      demo.terminal.type([byte])
      try await Task.sleep(for: .milliseconds(5))
    }
    // The keys left, F5 and Alt-x, and a byte that is no UTF-8.
    demo.terminal.type(Array("\u{1B}[D\u{1B}[15~\u{1B}x".utf8) + [0xFF])
    demo.terminal.type("к")
    _ = try await demo.screen { $0.hasPrefix("Search: кошк") && $0.contains("1 of 7 lines") }
    demo.terminal.type("\u{15}kind of")
    _ = try await demo.screen { $0.hasPrefix("Search: kind of\n1 of 7") }
    demo.terminal.type("\u{17}")
    _ = try await demo.screen { $0.hasPrefix("Search: kind \n1 of 7") || $0.hasPrefix("Search: kind\n1 of 7") }
    demo.terminal.type("\u{3}")
    #expect(try await demo.end() == 0)
  }

  @Test func `a suggestion completes the last word`() async throws {
    let demo = try SearchField(file)
    demo.terminal.type("of blueb")
    _ = try await demo.screen { $0.contains("blueberry 1") }
    demo.terminal.type("\t")
    _ = try await demo.screen { $0.hasPrefix("Search: of blueberry") }
    demo.terminal.type("\u{15}東京")
    _ = try await demo.screen { $0.contains("京 1") }
    demo.terminal.type("\t")
    demo.terminal.type("大")
    _ = try await demo.screen { $0.hasPrefix("Search: 東京 大\n1 of 7") }
    demo.terminal.type("\u{3}")
    #expect(try await demo.end() == 0)
  }

  @Test func `a chosen facet is a further condition, and its other values stay`() async throws {
    let demo = try SearchField(file)
    demo.terminal.type("い OR blue")
    _ = try await demo.screen { $0.contains("4 of 7") && $0.contains("Latin 3   Han 1") }
    demo.terminal.type("\u{1B}[B\u{1B}[B")
    let chosen = try await demo.screen { $0.contains("1 of 7 lines, script Han, results") && $0.contains("1–20 1") }
    #expect(chosen.contains("青い影") && chosen.contains("Latin 3   Han 1") && !chosen.contains("Kind of"))
    demo.terminal.type("\u{1B}[A")
    _ = try await demo.screen { $0.contains("3 of 7 lines, script Latin") }
    demo.terminal.type("\u{1B}[A")
    _ = try await demo.screen { $0.contains("4 of 7 lines, results") }
    demo.terminal.type("\u{3}")
    #expect(try await demo.end() == 0)
  }

  @Test func `rows are never wider than the terminal, also after its size has changed`() async throws {
    let demo = try SearchField(file)
    demo.terminal.type("東京 OR bad OR blue")
    _ = try await demo.screen {
      $0.contains("5 of 7 lines, results") && $0.contains("横浜") && $0.contains("suggestions in")
    }
    for (columns, rows) in [(40, 20), (31, 9), (12, 3), (1, 1), (100, 30)] as [(UInt16, UInt16)] {
      demo.terminal.resize(columns: columns, rows: rows)
      let screen = try await demo.screen { $0.split(separator: "\n", omittingEmptySubsequences: false).count == rows }
      let widest = screen.split(separator: "\n").map(\.columnCount).max() ?? 0
      // The label of the search field has a fixed width.
      #expect(widest <= max(Int(columns), 10), "\(columns): \(screen)")
      #expect(!screen.contains("\u{1B}") && !screen.contains("\u{7}"))
    }
    demo.terminal.type("\u{3}")
    #expect(try await demo.end() == 0)
  }

  // The part of a line had more characters than the terminal has columns, so its matches could be out of sight.
  @Test func `the part of a long line with the matches is shown`() async throws {
    let filling = String(repeating: "filling ", count: 60)
    try Data("\(filling)needle \(filling)\n\(String(repeating: "漢", count: 300))針\n".utf8).write(
      to: URL(filePath: file))
    let demo = try SearchField(file)
    demo.terminal.type("needle OR 針 ")
    _ = try await demo.screen { $0.contains("2 of 2 lines, results") && $0.contains("漢") }
    #expect(demo.marked.contains(" [needle] ") && demo.marked.contains("漢[針]"))
    demo.terminal.resize(columns: 30, rows: 24)
    let narrow = try await demo.screen { rows in rows.split(separator: "\n").allSatisfy { $0.columnCount <= 30 } }
    #expect(narrow.contains("2 of 2 lines"))
    _ = try await demo.screen { $0.contains(" needle ") && $0.contains("漢針") }
    demo.terminal.type("\u{3}")
    #expect(try await demo.end() == 0)
  }

  @Test func `a signal ends the process after the terminal is restored`() async throws {
    let demo = try SearchField(file)
    demo.terminal.type("blue")
    _ = try await demo.screen { $0.contains("3 of 7 lines") }
    // The process is the child of setsid, which passes its status on.
    try await demo.signal(SIGTERM)
    #expect(try await demo.end() != 0)
    #expect(demo.terminal.editsLines)
    #expect(demo.shown.contains("\u{1B}[?1049l"))
  }

  @Test func `a process whose terminal is closed ends`() async throws {
    let demo = try SearchField(file)
    _ = try await demo.screen { $0.contains("7 lines") }
    // The process ends by SIGHUP, or because it cannot read more keys.
    demo.terminal.close()
    _ = try await demo.end()
  }

  @Test(arguments: [false, true])
  func `each line of a pipe is a search, and so it is on a terminal that cannot move its cursor`(
    _ isTerminal: Bool
  ) throws {
    let demo = ChildProcess.path(ofProduct: "TextSearchDemo")
    let terminal = try PseudoTerminal()
    let script = isTerminal ? "TERM=dumb exec \"$@\" <\"$0\"" : "TERM=xterm exec \"$@\""
    let child = try ChildProcess(executable: "/bin/sh", ["-c", "\(script) 2>/dev/null", terminal.path, demo, file])
    let input = "blue\nкошк\nnothing\n"
    if isTerminal { terminal.type(input + "\u{4}") } else { child.write(input) }
    child.endInput()
    let lines = child.remainingLines()
    #expect(child.waitForExit() == 0)
    #expect(
      lines.filter { !$0.hasPrefix("Results in ") } == [
        "3 hits for \"blue\"", "  Blue in Green", "  Kind of Blue", "  Blueberry Hill", "Script: Latin 3",
        "Length: 1–20 3", "Suggestions: blue 2, blueberry 1", "",
        "1 hit for \"кошк\"", "  Кошка", "Script: Cyrillic 1", "Length: 1–20 1", "Suggestions: кошка 1", "",
        "0 hits for \"nothing\"", "",
      ])
    #expect(lines.count { $0.contains("facets in ") } == 3)
  }

  @Test func `lines are read from a pipe`() throws {
    let demo = ChildProcess.path(ofProduct: "TextSearchDemo")
    let child = try ChildProcess(
      executable: "/bin/bash", ["-c", "exec \"$0\" <(cat \"$1\") 2>/dev/null", demo, file])
    child.write("kind\n")
    child.endInput()
    #expect(child.remainingLines().contains("  Kind of Blue"))
    #expect(child.waitForExit() == 0)
  }

  @Test func `a store in a directory keeps the lines`() throws {
    let demo = ChildProcess.path(ofProduct: "TextSearchDemo")
    let store = directory.path("store")
    for arguments in [[file, "--store", store], ["--store", store]] {
      let child = try ChildProcess(executable: "/bin/sh", ["-c", "exec \"$@\" 2>/dev/null", "sh", demo] + arguments)
      child.write("kind\n")
      child.endInput()
      #expect(child.remainingLines().contains("  Kind of Blue"))
      #expect(child.waitForExit() == 0)
    }
    for (arguments, message) in [
      ([], "name a text file"), ([directory.path("missing")], "missing cannot be read: No such file or directory"),
    ] {
      let child = try ChildProcess(executable: "/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", demo] + arguments)
      child.endInput()
      #expect(child.remainingLines().contains { $0.contains(message) })
      #expect(child.waitForExit() != 0)
    }
  }
}

/// A run of the example on a pseudo-terminal.
private final class SearchField {
  let terminal: PseudoTerminal
  /// All text that the process has written.
  private(set) var shown = ""
  private let process: ChildProcess

  init(_ file: String) throws {
    terminal = try PseudoTerminal()
    let demo = ChildProcess.path(ofProduct: "TextSearchDemo")
    process = try ChildProcess(executable: "/usr/bin/env", terminal.asControllingTerminal + [demo, file])
  }

  /// Waits for a screen that meets a condition, and returns its rows, without colors.
  func screen(_ isExpected: (String) -> Bool) async throws -> String {
    for _ in 0..<3000 {
      shown += terminal.text()
      if let rows, isExpected(rows) { return rows }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("The expected screen does not appear; the last one:\n\(rows ?? shown)")
    throw CancellationError()
  }

  /// The last complete frame, with bold parts in brackets.
  var marked: String { String(lastFrame).replacing("\u{1B}[1;33m", with: "[").replacing("\u{1B}[0m", with: "]") }

  /// The last complete frame; each begins by hiding the cursor and ends by showing it.
  private var lastFrame: Substring {
    guard let end = shown.range(of: "\u{1B}[?25h", options: .backwards),
      let start = shown.range(of: "\u{1B}[?25l", options: .backwards, range: shown.startIndex..<end.lowerBound)
    else { return "" }
    return shown[start.upperBound..<end.lowerBound]
  }

  /// The rows of the last complete frame, without colors.
  private var rows: String? {
    let rows = lastFrame.split(separator: /\u{1B}\[\d+;1H\u{1B}\[K/, omittingEmptySubsequences: false).dropFirst()
    if rows.isEmpty { return nil }
    return rows.joined(separator: "\n").replacing(/\u{1B}\[[0-9;]*[mH]/, with: "")
  }

  /// Sends a signal to the example, which is the only process of its session besides setsid.
  func signal(_ number: Int32) async throws {
    let children = try String(
      contentsOfFile: "/proc/\(process.processID)/task/\(process.processID)/children", encoding: .utf8)
    let id = children.split(separator: " ").first.flatMap { pid_t($0) } ?? pid_t(process.processID)
    _ = kill(id, number)
  }

  /// Waits for the end of the process, and returns its wait status.
  func end() async throws -> Int32 {
    let status = process.waitForExit()
    shown += terminal.text()
    return status
  }
}
