// Stores of processes with few descriptors, little address space, a small stack, limited files or inodes, and of one
// that signals interrupt all the time.
import Foundation
import TestSupport
import Testing
import Todana

@Suite(.disabled(if: Sanitizer.isUsed, "\(Sanitizer.reason)"))
struct LimitTests {
  /// The errors that each limit may cause.
  static let limits: [(name: String, errors: Set<Substring>)] = [
    ("descriptors", ["inputOutput", "noSpace", "mustReopen"]), ("addressSpace", ["noMemory", "mustReopen"]),
    ("stack", []), ("fileSize", ["noSpace", "mustReopen"]), ("inodes", ["noSpace"]), ("signals", []),
  ]

  @Test(arguments: limits)
  func `limits of the system cause typed errors and lose nothing`(
    _ limit: (name: String, errors: Set<Substring>)
  ) throws {
    let directory = try TemporaryDirectory()
    let rounds = LongTests.areEnabled ? 400 : 30
    let child = try ChildProcess("store-limits", directory.path, limit.name, "\(rounds)")
    let lines = child.remainingLines()
    if let line = lines.first, line.hasPrefix("skip: ") { try Test.cancel("\(line)") }
    #expect(child.waitForExit() == 0)
    try #require(lines.count == 3, "\(lines)")
    let errors = Set(lines[0].split(separator: " ").dropFirst())
    #expect(errors.isSubset(of: limit.errors), "\(lines)")
    #expect(lines[1] == "right, 0 problems")
    #expect(lines[2] == "saved", "\(lines)")
  }
}
