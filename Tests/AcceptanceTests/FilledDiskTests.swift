// Stores that fill a small file system, in processes that end without closing them.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct FilledDiskTests {
  static let trials =
    LongTests.areEnabled ? [8, 13, 24].flatMap { size in [1, 40, 1_000].map { (size, $0) } } : [(8, 1), (8, 1_000)]

  private func run(_ size: Int, _ saveCount: Int, _ options: [String]) throws -> (acknowledged: Int, lines: [String]) {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess(["store-fill-disk", directory.path, "\(size)", "\(saveCount)"] + options)
    let lines = child.remainingLines()
    if let line = lines.first, line.hasPrefix("skip: ") { try Test.cancel("\(line)") }
    #expect(child.waitForExit() == 0)
    let end = try #require(lines.firstIndex { Int($0) == nil }, "\(lines)")
    let acknowledged = end > 0 ? Int(lines[end - 1]) ?? 0 : 0
    return (acknowledged, Array(lines[end...]))
  }

  @Test(arguments: trials, [[], ["encrypted"]])
  func `a store that has filled its disk can be opened, and deletes make room`(
    _ trial: (size: Int, saveCount: Int), _ options: [String]
  ) throws {
    let (acknowledged, lines) = try run(trial.size, trial.saveCount, options)
    #expect(acknowledged > 0)
    try #require(lines.count == 6, "\(lines)")
    #expect(lines[0].hasPrefix("full: ") && lines[0].contains(" more"), "\(lines)")
    // Neither a copy in the background nor the log keeps room from the save.
    let left = try #require(lines[0].split(separator: " ").compactMap { Int($0) }.first)
    #expect(left < 1_500, "\(lines)")
    #expect(lines[1] == "ended with 0")
    let count = try #require(Int(lines[2].dropFirst("opened ".count)))
    #expect(count == acknowledged, "\(lines)")
    let deleted = try #require(Int(lines[3].dropFirst("deleted ".count)))
    #expect(deleted >= count / 2)
    #expect(lines[4].hasPrefix("inserted "))
    #expect(lines[5].hasSuffix(", 0 problems"), "\(lines)")
  }

  @Test(arguments: trials)
  func `a store opens on a disk that another program has filled`(_ trial: (size: Int, saveCount: Int)) throws {
    let (acknowledged, lines) = try run(trial.size, trial.saveCount, ["others"])
    try #require(lines.count == 7, "\(lines)")
    #expect(lines[2] == "opened \(acknowledged)")
    #expect(lines[3] == "read \(min(100, acknowledged))")
    #expect(lines[6].hasSuffix(", 0 problems"), "\(lines)")
  }
}
