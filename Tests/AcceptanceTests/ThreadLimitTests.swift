// Scans and saves where the system or Dispatch gives the process no further threads.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ThreadLimitTests {
  @Test func `scans from more queues than Dispatch has threads end`() throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("store-scan-in-queues", directory.path("store"), "300")
    // The songs from 0 to 39,999 whose number contains 99.
    let expected = (0..<40_000).filter { "\($0)".contains("99") }.count
    #expect(child.remainingLines() == ["\(expected) in 300 queues"])
    #expect(child.waitForExit() == 0)
  }

  @Test func `a process that may have no other thread saves and scans`() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.path("place"), withIntermediateDirectories: false)
    let child = try ChildProcess("store-without-threads", directory.path("place"))
    let lines = child.remainingLines()
    if let line = lines.first, line.hasPrefix("skip: ") { try Test.cancel("\(line)") }
    let expected = (0..<40_000).filter { "\($0)".contains("99") }.count
    #expect(lines == ["saved", "\(expected) found", "closed"])
    #expect(child.waitForExit() == 0)
  }
}
