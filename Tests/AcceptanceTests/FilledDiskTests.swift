// Stores that fill a small file system, in processes that end without closing them.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct FilledDiskTests {
  static let trials: [(size: Int, saveCount: Int)] =
    LongTests.areEnabled
    ? [8, 13, 24].flatMap { size in [1, 40, 1_000].map { (size, $0) } } : [(8, 1), (8, 40), (8, 1_000)]
  /// File systems on images, with the smallest size in MiB that they can have.
  static let images = LongTests.areEnabled ? [("ext4", 24), ("btrfs", 128), ("xfs", 320)] : [("ext4", 16)]

  private func run(
    _ size: Int, _ saveCount: Int, _ options: [String], on type: String = "tmpfs"
  ) throws -> (acknowledged: Int, lines: [String]) {
    let directory = try TemporaryDirectory()
    let path = directory.path("mount")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    if type != "tmpfs" { try makeImage(path + ".image", size, type) }
    let child = try ChildProcess(["store-fill-disk", path, "\(size)", "\(saveCount)", type] + options)
    let lines = child.remainingLines()
    if let line = lines.first, line.hasPrefix("skip: ") { try Test.cancel("\(line)") }
    #expect(child.waitForExit() == 0)
    let end = try #require(lines.firstIndex { Int($0) == nil }, "\(lines)")
    let acknowledged = end > 0 ? Int(lines[end - 1]) ?? 0 : 0
    return (acknowledged, Array(lines[end...]))
  }

  private func makeImage(_ path: String, _ size: Int, _ type: String) throws {
    let tools = ["/usr/sbin", "/sbin"].map { "\($0)/mkfs.\(type)" }
    guard let tool = tools.first(where: FileManager.default.isExecutableFile) else {
      try Test.cancel("mkfs.\(type) is not installed")
    }
    try Data().write(to: URL(filePath: path))
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(size) << 20)
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = ["-q", type == "ext4" ? "-F" : "-f", path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(tool) failed")
  }

  @Test(arguments: trials, [[], ["encrypted"]])
  func `a store that has filled its disk can be opened, and deletes make room`(
    _ trial: (size: Int, saveCount: Int), _ options: [String]
  ) throws {
    try check(try run(trial.size, trial.saveCount, options))
  }

  @Test(arguments: trials.filter { $0.saveCount > 1 }, [["indexed"], ["indexed", "encrypted", "short"]])
  func `deletes make room however many indexes a class has`(
    _ trial: (size: Int, saveCount: Int), _ options: [String]
  ) throws {
    try check(try run(trial.size, trial.saveCount, options), leaving: trial.saveCount == 1_000 ? 6_000 : 2_000)
  }

  @Test(arguments: trials.filter { $0.size < 20 }, [["short", "tight"], ["indexed", "encrypted", "tight"]])
  func `deletes make room although another program has taken most of it`(
    _ trial: (size: Int, saveCount: Int), _ options: [String]
  ) throws {
    try check(try run(trial.size, trial.saveCount, options), leaving: trial.saveCount == 1_000 ? 6_000 : 2_000)
  }

  @Test(arguments: images, [40, 1_000])
  func `a store that has filled a real file system can be opened, and deletes make room`(
    _ image: (type: String, size: Int), _ saveCount: Int
  ) throws {
    // A file system that copies changed pages needs more: 12 MiB, and three times the pages of the last saves.
    try check(try run(image.size, saveCount, [], on: image.type), leaving: image.type == "btrfs" ? 18_000 : 2_000)
  }

  private func check(_ outcome: (acknowledged: Int, lines: [String]), leaving most: Int = 2_000) throws {
    let (acknowledged, lines) = outcome
    #expect(acknowledged > 0)
    try #require(lines.count == 6, "\(lines)")
    #expect(lines[0].hasPrefix("full: ") && lines[0].contains(" more"), "\(lines)")
    // Neither a copy in the background nor the log keeps room from the save.
    let left = try #require(lines[0].split(separator: " ").compactMap { Int($0) }.first)
    #expect(left < most, "\(lines)")
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
    #expect(lines[3] == "read \(min(100, acknowledged)), 0 problems")
    #expect(lines[6].hasSuffix(", 0 problems"), "\(lines)")
  }
}
