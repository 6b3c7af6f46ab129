// A full disk, simulated in a separate process by a limit on file sizes.
import TestSupport
import Testing
import Todana

@Suite struct StoreFullDiskTests {
  @Test(arguments: ["store-full-disk-save", "store-full-disk-checkpoint"])
  func `a full disk is a typed error, loses nothing, and the store works once space is free`(_ command: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let child = try ChildProcess(command, path)
    let lines = child.remainingLines()
    #expect(child.waitForExit() == 0)
    let isSave = command == "store-full-disk-save"
    try #require(lines.count == (isSave ? 5 : 4), "\(lines)")
    #expect(lines[0].hasPrefix(isSave ? "error backend noSpace: " : "error noSpace -: "), "\(lines)")
    #expect(lines[0].contains("[file "), "\(lines)")
    if isSave { #expect(lines[1] == "pending true") }
    #expect(lines.suffix(3).dropLast() == ["intact", "intact"], "\(lines)")
    let count = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) }, "\(lines)")
    let store = try Store(.directory(path), classes: [Song.self])
    let titles = try store.fetch(Song.self).map(\.title)
    #expect(titles.count == count && Set(titles).count == count)
    #expect(titles.allSatisfy { $0.hasSuffix(String(repeating: "x", count: 100_000)) })
    try store.close()
  }
}
