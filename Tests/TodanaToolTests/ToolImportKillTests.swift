import Foundation
import TestSupport
import Testing
import Todana

/// Imports that are killed, and continued.
@Suite struct ToolImportKillTests {
  @Test(arguments: [("csv", 1), ("jsonl", 2), ("json", 3)])
  func `a killed import continues without losing or repeating a row`(format: String, seed: UInt64) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, file) = (directory.path("store"), directory.path("rows.\(format)"))
    try Store(.directory(path), classes: []).close()
    let rows = (0..<40000).map { "{\"n\":\($0)}" }
    let text: String =
      switch format {
      case "csv": "n\n" + (0..<40000).map { "\($0)\n" }.joined()
      case "jsonl": rows.map { $0 + "\n" }.joined()
      default: "[" + rows.joined(separator: ",\n") + "]"
      }
    try Data(text.utf8).write(to: URL(filePath: file))
    var generator = SeededGenerator(seed: seed)
    let command = ["store", "import", path, file, "--into", "rows", "--batch", "100", "--quiet"]
    var (killCount, isResumable, isFinished) = (0, false, false)
    while !isFinished {
      let child = try ChildProcess(product: "todana", command + (isResumable ? ["--resume"] : []))
      // After many kills, the import may finish.
      if killCount < 20 {
        Thread.sleep(forTimeInterval: Double.random(in: 0.02...0.25, using: &generator))
        child.kill()
        killCount += 1
      }
      isFinished = child.waitForExit() == 0
      let count = try ToolRun("store", "query", path, "rows", "--count")
      // The collection need not exist, or has no rows yet.
      isResumable = count.status == 0 && count.lines != ["0"]
      if count.lines == ["40000"] { isFinished = true }
    }
    #expect(try ToolRun("store", "export", path, "rows").lines == rows)
    #expect(try ToolRun("store", "names", path).text.contains("import") == false)
    print("killed \(killCount) times")
  }
}
