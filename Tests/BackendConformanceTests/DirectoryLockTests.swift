import Foundation
import Synchronization
import TestSupport
import Testing
import Todana

@Suite struct DirectoryLockTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("store") }

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ access: KyotoBackend.Access = .write, at path: String? = nil, waiting wait: Duration = .zero
  ) throws(BackendError) -> KyotoBackend {
    var options = KyotoBackend.Options()
    options.access = access
    options.waitDuration = wait
    return try KyotoBackend(.directory(path ?? self.path), options: options)
  }

  @Test func `a second opener in the same process gets an error with the id of this process`() throws {
    let backend = try open()
    for access in [KyotoBackend.Access.write, .writeExisting, .read] {
      let error = expectError(.inUse) { _ = try open(access) }
      #expect(error?.processID == Int(getpid()))
    }
    try backend.close()
    try open().close()
  }

  @Test func `a second opener through a symbolic link is refused`() throws {
    let backend = try open()
    try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: path)
    expectError(.inUse) { _ = try open(at: directory.path("link")) }
    expectError(.inUse) { _ = try open(at: directory.path("link/../store/.")) }
    try backend.close()
    try open(at: directory.path("link")).close()
  }

  @Test func `an opener in another process gets an error that names the holder`() throws {
    let child = try ChildProcess("hold", path)
    #expect(child.nextLine() == "open")
    let error = expectError(.inUse) { _ = try open() }
    #expect(error?.processID == child.processID)
    #expect(error?.message.contains("CrashChild") == true, "\(error?.message ?? "")")
    child.endInput()
    #expect(child.remainingLines() == ["closed"])
    let backend = try open()
    let second = try ChildProcess("hold", path)
    #expect(second.nextLine()?.hasPrefix("error inUse: ") == true)
    second.endInput()
    try backend.close()
  }

  @Test func `child processes that are just being started do not keep a closed store locked`() throws {
    let isDone = Atomic(false)
    try onThreads(2) { thread in
      if thread == 0 {
        defer { isDone.store(true, ordering: .relaxed) }
        for _ in 0..<100 { try open().close() }
      } else {
        while !isDone.load(ordering: .relaxed) {
          #expect(try ChildProcess(executable: "/bin/true", []).waitForExit() == 0)
        }
      }
    }
  }

  @Test func `a store whose holder was killed opens without cleanup`() throws {
    let child = try ChildProcess("hold", path)
    #expect(child.nextLine() == "open")
    child.kill()
    try open().close()
  }

  @Test func `an opener can wait until the holder closes the store`() throws {
    let child = try ChildProcess("hold-a-second", path)
    #expect(child.nextLine() == "open")
    let clock = ContinuousClock()
    let refused = clock.measure { expectError(.inUse) { _ = try open(waiting: .milliseconds(150)) } }
    #expect(refused >= .milliseconds(140) && refused < .seconds(1))
    let waited = try clock.measure { try open(waiting: .seconds(60)).close() }
    #expect(waited >= .milliseconds(100) && waited < .seconds(50))
  }

  @Test func `several processes can read at once, and none can write while another reads`() throws {
    let writer = try open()
    let songs = try writer.keyspaceID(of: .rows, named: Array("Song".utf8))
    try writer.commit { $0.put([1, 2], row: 1, in: songs) }
    try writer.close()
    let (first, second) = (try open(.read), try open(.read))
    let child = try ChildProcess("hold", path, "read")
    #expect(child.nextLine() == "open")
    for reader in [first, second] {
      #expect(reader.openReport.isReadOnly)
      #expect(try reader.allRows(of: songs) == [1: [1, 2]])
    }
    expectError(.inUse) { _ = try open(.write) }
    try first.close()
    try second.close()
    expectError(.inUse) { _ = try open(.write) }
    child.endInput()
    try open(.write).close()
  }
}
