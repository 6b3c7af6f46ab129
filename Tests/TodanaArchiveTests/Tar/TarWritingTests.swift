import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of failures to write a tar.
@Suite struct TarWritingTests {
  @Test func `a full disk is an error, also for later calls`() throws {
    let file = try TestFile(writing: "/dev/full")
    let writer = try file.writer()
    try writer.add("a", FileEntry(.regular, "a"), data: [1])
    let failure = try #require(tarError { try writer.finish() })
    #expect((failure.underlying as? FileError)?.code == .noSpace)
    #expect(failure.description.contains("test.tar"))
    #expect(tarError { try writer.finish() } != nil)
    #expect(tarError { try writer.add("b", FileEntry(.fifo, "b")) } != nil)
  }

  @Test func `writing to a pipe without a reader is an error and sends no signal`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      var ends: [CInt] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { exit(2) }
      close(ends[0])
      let writer = try TarWriter(to: ends[1], name: [0x70])
      let data = [UInt8](repeating: 7, count: 1 << 20)
      let failure = tarError { try writer.add("a", FileEntry(.regular, "a"), data: data) }
      guard let error = failure?.underlying as? FileError, error.errorNumber == EPIPE else { exit(3) }
      guard tarError(of: { try writer.finish() }) != nil else { exit(4) }
      // No signal is pending.
      var pending = sigset_t()
      unsafe sigpending(&pending)
      guard unsafe sigismember(&pending, SIGPIPE) == 0 else { exit(5) }
      exit(0)
    }
  }

  @Test func `a nonblocking pipe receives everything`() throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let data = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 * $0 >> 8) }
    let found = Mutex(TarContent())
    try onThreads(2) { number in
      if number == 0 {
        let content = try TarContent(TarReader(reading))
        found.withLock { $0 = content }
      } else {
        defer { close(writing) }
        let writer = try TarWriter(to: writing, name: [])
        try writer.add("a", FileEntry(.regular, "a"), data: data)
        try writer.finish()
      }
    }
    close(reading)
    #expect(found.withLock { $0.items.map(\.data) == [data] && $0.hasEnd })
  }

  struct SinkFailure: Error {}

  @Test func `an error of the sink is passed on as the cause, and the sink is not called again`() throws {
    var calls = 0
    let writer = try unsafe TarWriter { _ in
      calls += 1
      throw SinkFailure()
    }
    for _ in 0..<2 {
      #expect(tarError { try writer.add("a", FileEntry(.fifo, "a")) }?.underlying is SinkFailure)
      #expect(tarError { try writer.finish() }?.underlying is SinkFailure)
    }
    #expect(calls == 1)
  }

  @Test func `an unfinished tar has no end`() throws {
    var bytes: [UInt8] = []
    do {
      let writer = try unsafe TarWriter { unsafe bytes.append(contentsOf: $0) }
      try writer.add("a", FileEntry(.regular, "a"), data: [1])
    }
    #expect(bytes.count % 512 == 1)
  }

  @Test func `entries that a tar cannot have are refused, and later ones are written`() throws {
    func item(_ path: String, _ change: (inout TarEntry) -> Void = { _ in }) -> TarEntry {
      var item = TarEntry(path: Array(path.utf8), entry: FileEntry(.regular, path, byteCount: 10))
      change(&item)
      return item
    }
    let attribute = ExtendedAttribute(name: Array("user.a".utf8), value: [UInt8](repeating: 1, count: 64 << 10))
    let refused = [
      item("a") { $0.entry.kind = .socket }, item(""), item("/a"), item("a\0b"),
      item("a") { $0.entry.kind = .symbolicLink(target: []) }, item("a") { $0.hardLinkTarget = [0x61, 0] },
      item("a") { $0.entry.byteCount = -1 }, item("a") { $0.entry.permissions = 0o10000 },
      item("a") { $0.entry.modificationTime.nanoseconds = 1_000_000_000 },
      item("a") { $0.entry.owner.userName = [0x61, 0] }, item("a") { $0.dataRanges = [0..<11] },
      item("a") { $0.dataRanges = [5..<6, 4..<5] }, item("a") { $0.dataRanges = [-1..<5] },
      item("a") { $0.entry.attributes = [ExtendedAttribute(name: [], value: [])] },
      item("a") { $0.entry.attributes = Array(repeating: attribute, count: 16) },
    ]
    let bytes = try tarBytes { writer in
      for item in refused { #expect(tarError { try writer.add(item) } != nil, "\(item)") }
      try writer.add(item("b") { $0.entry.attributes = Array(repeating: attribute, count: 15) })
      try writer.add(item("c"))
    }
    let directory = try ScratchTree(isInMemory: true)
    try Data(bytes).write(to: URL(filePath: directory.path("tar")))
    let found = try TarContent(path: directory.path("tar"))
    #expect(found.items.map(\.tar.path) == [[0x62], [0x63]])
    #expect(found.items.allSatisfy { $0.data == [UInt8](repeating: 0, count: 10) })
  }
}
