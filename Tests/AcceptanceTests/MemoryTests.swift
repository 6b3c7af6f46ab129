// Memory use, measured in separate processes so that other tests do not affect it.
import Foundation
import TestSupport
import Testing
import Todana

#if os(Linux)
  @Suite(.disabled(if: Sanitizer.isUsed, "\(Sanitizer.reason)"))
  struct MemoryTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func measure(_ command: String, _ count: Int) throws -> [String] {
      let child = try ChildProcess(command, path, "\(count)")
      let lines = child.remainingLines()
      try #require(child.waitForExit() == 0 && lines.count == 1, "\(lines)")
      return lines[0].split(separator: " ").map(String.init)
    }

    @Test func `a stream of many objects takes little memory, and their save at most 350 bytes for each`() throws {
      let count = LongTests.areEnabled ? 1_000_000 : 100_000
      let saved = try #require(Int(try measure("store-insert", count)[0]))
      #expect(saved / count <= 350, "\(saved) bytes for \(count) objects")
      let streamed = try measure("store-stream", count)
      #expect(try #require(Int(streamed[0])) < 64 << 20, "\(streamed)")
      #expect(streamed[1] == "true", "every object was visited")
    }

    @Test func `backing up, verifying and restoring a large object takes little memory`() throws {
      let byteCount = (LongTests.areEnabled ? 300 : 48) << 20
      let words = try measure("store-series-memory", byteCount)
      #expect(try #require(Int(words[0])) < 16 << 20, "\(words)")
      #expect(words[1] == "true", "the object is restored as it was")
      print("MB/s of a first backup, one without changes, verifying, restoring: \(words[2...].joined(separator: ", "))")
    }

    @Test func `repeatedly opening and closing a cyclic graph does not fill memory`() throws {
      let rounds = LongTests.areEnabled ? 1_000 : 200
      let grown = try #require(Int(try measure("store-open-and-close", rounds)[0]))
      #expect(grown < 2 << 20, "\(grown) bytes more after \(rounds) rounds")
    }
  }
#endif
