import Foundation
import TestSupport
import Testing

/// Tests of system calls that fail, one after the other, while files are read for a snapshot.
@Suite(.disabled(if: Sanitizer.isUsed, "a sanitizer replaces the functions that are made to fail"))
struct ArchiveReadFaultTests {
  @Test func `a snapshot has all other files if any one call fails`() throws {
    try run(60)
  }

  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"))
  func `a snapshot has all other files if any of a thousand calls fails`() throws {
    try run(1000)
  }

  private func run(_ count: Int) throws {
    let directory = try ScratchTree(isInMemory: true)
    try make(in: directory)
    let child = try ChildProcess(
      "archive-faults", directory.path("archive"), directory.path("source"), "\(count)")
    let lines = child.remainingLines()
    #expect(child.waitForExit() == 0)
    #expect(lines.filter { $0.hasPrefix("fault:") || $0.hasPrefix("error") }.prefix(5) == [])
    #expect(lines.last == "faults 0")
    let failureCount = lines.lazy.compactMap { $0.hasPrefix("failures ") ? Int($0.dropFirst(9)) : nil }.first
    #expect(failureCount ?? 0 > count / 2, "too few failing calls had an effect")
  }

  /// Makes small files (some empty), large files, sparse files, links and many directories.
  private func make(in directory: ScratchTree) throws {
    let manager = FileManager.default
    for level in 0..<4 {
      let path = directory.path("source/d\(level)/inner")
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
      for number in 0..<6 {
        try Data(repeating: UInt8(number), count: number * 900).write(to: URL(filePath: "\(path)/small\(number)"))
      }
      let large = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5 &+ level) })
      try large.write(to: URL(filePath: "\(path)/large"))
      try manager.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "large")
      let sparse = try ScratchTree.createFile("\(path)/sparse")
      try sparse.write(contentsOf: Data("start".utf8))
      try sparse.truncate(atOffset: 1 << 20)
      try sparse.close()
    }
  }
}

extension ScratchTree {
  fileprivate static func createFile(_ path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    return file
  }
}
