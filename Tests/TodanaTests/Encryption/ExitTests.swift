import TestSupport
import Testing

/// A process that exits without closing its store.
@Suite struct ExitTests {
  @Test(arguments: 1...20)
  func `a process can exit while threads use an encrypted store`(run: Int) throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("store-exit", directory.path("store"))
    #expect(child.remainingLines() == ["exit"])
    #expect(child.waitForExit() == 0)
  }
}
