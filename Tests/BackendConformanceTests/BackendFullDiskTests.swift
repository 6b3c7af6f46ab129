import TestSupport
import Testing
import Todana

@Suite struct BackendFullDiskTests {
  @Test(arguments: ["full-disk-commit", "full-disk-checkpoint"])
  func `a full disk is a typed error, loses nothing, and the store works once space is free`(_ command: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let child = try ChildProcess(command, path)
    let lines = child.remainingLines()
    child.waitForExit()
    try #require(lines.count >= 5, "\(lines)")
    #expect(lines[0].hasPrefix("error noSpace: "), "\(lines)")
    #expect(lines.dropFirst().dropLast().allSatisfy { $0 == "intact" || $0 == "usable" }, "\(lines)")
    let rowCount = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) }, "\(lines)")
    let backend = try KyotoBackend(.directory(path))
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    let found = try backend.allRows(of: songs)
    #expect(found.count == rowCount)
    #expect(found.allSatisfy { $0.value == patternedBytes($0.key, count: $0.value.count) })
    try backend.close()
  }
}
