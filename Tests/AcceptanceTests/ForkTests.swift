// Forks processes with an open store. The parent's store keeps every save, however the child uses its copy.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ForkTests {
  static let stages = [
    "idle", "pending", "savepoint", "snapshot", "query", "relaxed", "checkpoints", "sharing", "encrypted", "memory",
  ]
  static let actions = ["exit", "close", "release", "read", "change", "late", "open"]
  static let trials = stages.flatMap { stage in actions.map { (stage, $0) } }

  @Test(arguments: trials)
  func `a child of the process cannot harm the store`(_ stage: String, _ action: String) throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("store-fork", directory.path("store"), stage, action)
    var lines = child.remainingLines()
    #expect(child.waitForExit() == 0)
    #expect(lines.popLast() == "content right, 0 problems")
    #expect(lines.popLast() == "child ended with 0")
    switch action {
    case "close": #expect(lines == ["child closed: true"])
    case "release": #expect(lines.count == 1)
    case "read":
      // Reads of the child include the parent's pending changes.
      let hasPending = ["pending", "savepoint"].contains(stage)
      // If a checkpoint of the parent has changed the files, the child cannot read them any more.
      if stage == "checkpoints", lines.first?.contains("opened before this process was forked") == true { return }
      #expect(lines == ["child reads \(hasPending ? "wrong" : "right")"])
    case "change", "late":
      // If a checkpoint of the parent has changed the files, the child cannot read them any more.
      let mayBeUnreadable = stage == "checkpoints"
      if !mayBeUnreadable || lines != ["child fetch: usedAfterFork"] { expectRefusals(lines) }
    case "open": #expect(lines == ["child open: \(stage == "memory" ? "done" : "backend")"])
    default: #expect(lines.isEmpty)
    }
  }

  /// Expects that each call which changes a store was refused with the same typed error.
  private func expectRefusals(_ lines: [String]) {
    #expect(lines.count == 15, "\(lines)")
    #expect(lines.first == "child fetch: done")
    for line in lines.dropFirst() { #expect(line.hasSuffix(": usedAfterFork"), "\(line)") }
  }

  @Test func `a daemon opens the store after forking`() throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("store-daemon", directory.path("store"), "reopening")
    #expect(child.remainingLines() == ["child save: usedAfterFork", "child closed", "child saved"])
    let store = try Store(.directory(directory.path("store")), classes: SaveWorkload.classes)
    #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: 20))
    try store.close()
  }

  @Test func `a daemon that closes its copy of the store leaves all saves in place`() throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("store-daemon", directory.path("store"))
    #expect(child.remainingLines() == ["child save: usedAfterFork", "child closed"])
    let store = try Store(.directory(directory.path("store")), classes: SaveWorkload.classes)
    #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: 10))
    try store.close()
  }

  @Test func `a child of the process cannot harm an archive`() throws {
    let directory = try TemporaryDirectory()
    let source = directory.path("source")
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: false)
    try Data(repeating: 7, count: 100_000).write(to: URL(filePath: source + "/file"))
    let child = try ChildProcess("archive-fork", directory.path("archive"), source)
    #expect(
      child.remainingLines() == [
        "child snapshots: 1", "child count: done", "child add: usedAfterFork", "child close: done",
        "child ended with 0", "snapshots: 2, 0 problems",
      ])
  }
}
