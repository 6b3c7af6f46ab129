import Foundation
import Glibc
import Testing

@testable import TodanaArchive

/// Tests that reading a tar returns the written entries.
@Suite struct TarRoundTripTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree() }

  private func expectEqual(_ found: TarContent, _ expected: TarContent) {
    #expect(found.items.count == expected.items.count)
    #expect(found.hasEnd == expected.hasEnd)
    for (found, expected) in zip(found.items, expected.items) where found != expected {
      Issue.record("\(printable(expected.tar.path)): \(found.tar) \(expected.tar) \(found.data.count)")
    }
  }

  private func read(_ bytes: [UInt8]) throws -> TarContent {
    try Data(bytes).write(to: URL(filePath: directory.path("bytes.tar")))
    return try TarContent(path: directory.path("bytes.tar"))
  }

  @Test(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
  func `all metadata of a tree come back, and its data`() throws {
    try TortureTree(path: directory.path("from")).make()
    let file = try TestFile(writing: directory.path("tar"))
    let expected = try file.writer().add(tree: directory.bytes("from"))
    #expect(expected.items.count > TortureTree.deepCount + 50)
    expectEqual(try TarContent(path: directory.path("tar")), expected)
    // The sparse file is 1 GiB with three pages of data. The paths of the deep directories take 10 MiB.
    let size = try #require(try FileManager.default.attributesOfItem(atPath: directory.path("tar"))[.size] as? Int)
    #expect(size < 30 << 20)

    // The tar is compressed and read from a pipe.
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-1", "-c", directory.path("tar")]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    expectEqual(try TarContent(TarReader(pipe.fileHandleForReading.fileDescriptor)), expected)
    process.waitUntilExit()
  }

  @Test func `names may be any bytes of any length`() throws {
    let names: [[UInt8]] = [
      [0xFF], Array("é".utf8), Array("e\u{301}".utf8), Array("a=b\n12 path=c\n".utf8),
      [UInt8](repeating: 0xE9, count: 255), Array(String(repeating: "long/", count: 5000).utf8) + [0xC3],
      Array(String(repeating: "x", count: 100).utf8), Array(String(repeating: "y", count: 101).utf8),
      Array((String(repeating: "p", count: 155) + "/" + String(repeating: "q", count: 100)).utf8),
    ]
    var expected = TarContent()
    let bytes = try tarBytes { writer in
      for name in names {
        let last = SourceStart.split(name).last
        var file = FileEntry(.regular, last, byteCount: 3)
        file.owner = FileOwner(userID: 1 << 31, groupID: .max - 1, userName: name, groupName: name)
        let link = FileEntry(.symbolicLink(target: name), last)
        let other = FileEntry(.regular, last)
        let items = [
          TarEntry(path: name, entry: file), TarEntry(path: name, entry: FileEntry(.directory, last)),
          TarEntry(path: name, entry: link), TarEntry(path: name, entry: other, hardLinkTarget: name),
          TarEntry(path: name, entry: file, dataRanges: [1..<2]),
        ]
        for (index, item) in items.enumerated() {
          try writer.add(item)
          let data: [UInt8] = index == 0 ? [1, 2, 3] : index == 4 ? [9] : []
          if item.hasData, !data.isEmpty { try writer.write(data.span, at: index == 4 ? 1 : 0) }
          var known = TarContent.Item(tar: item, data: data)
          if index == 1 || index == 2 || index == 3 { known.data = [] }
          known.tar.entry.changeTime = item.entry.changeTime
          expected.items.append(known)
        }
      }
    }
    expected.hasEnd = true
    expectEqual(try read(bytes), expected)
  }

  /// By default, libarchive converts names by the locale, and treats canonically equivalent names as equal.
  @Test(arguments: ["C", "C.UTF-8"])
  func `the locale does not affect names`(locale: String) async {
    let path = directory.path("locale.tar")
    await #expect(processExitsWith: .success) { [path = path as String, locale = locale as String] in
      guard unsafe setlocale(LC_ALL, locale) != nil else { exit(2) }
      let names: [[UInt8]] = [Array("e\u{301}".utf8), Array("é".utf8), [0xE9], [0xFF, 0xC3]]
      var tar = HostileTar()
      for name in names { tar.add(record: "path", name) }
      tar.end()
      let ours = try tarBytes { writer in
        for name in names { try writer.add(TarEntry(path: name, entry: FileEntry(.fifo, name))) }
      }
      for bytes in [tar.bytes, ours] {
        try Data(bytes).write(to: URL(filePath: path))
        let found = try TarContent(path: path).items
        guard found.map(\.tar.path) == names, found.allSatisfy({ $0.tar.warning == nil }) else { exit(3) }
      }
      exit(0)
    }
  }

  @Test func `times of any sign come back to the nanosecond`() throws {
    let times = [
      (0, 0), (-1, 1), (-1, 999_999_999), (-1, 0), (-2, 500_000_000), (0, 1), (Int64.max, 999_999_999), (Int64.min, 0),
      (Int64.min, 1), (1 << 33, 5), (-1 << 40, 7), (1_700_000_000, 0),
    ].map { FileTime(seconds: $0.0, nanoseconds: $0.1) }
    let found = try read(
      tarBytes { writer in
        for time in times {
          var entry = FileEntry(.regular, "a", time: time)
          entry.changeTime = time
          try writer.add("a", entry)
        }
      })
    for (item, time) in zip(found.items, times) {
      #expect(item.tar.entry.modificationTime == time)
      #expect(item.tar.entry.changeTime == time)
    }
    #expect(found.items.count == times.count)
  }

  @Test func `a sparse file of 10 GiB takes little space, and its holes are left out`() throws {
    let (size, last) = (Int64(10 << 30), Int64(10 << 30) - 3)
    let item = TarEntry(
      path: Array("s/sparse".utf8), entry: FileEntry(.regular, "sparse", byteCount: size),
      dataRanges: [4096..<8192, last..<size])
    let bytes = try tarBytes { writer in
      try writer.add(item)
      try writer.write([1, 2, 3].span, at: 4096)
      try writer.write([4].span, at: 5000)
      // Data past the end, or in a hole, is refused.
      #expect(tarError { try writer.write([5].span, at: 8192) } != nil)
      try writer.write([5, 6, 7].span, at: last)
      #expect(tarError { try writer.write([8].span, at: size) } != nil)
      // The whole file is a hole.
      try writer.add(
        TarEntry(path: Array("hole".utf8), entry: FileEntry(.regular, "hole", byteCount: .max), dataRanges: []))
      try writer.add("after", FileEntry(.regular, "after"), data: [42])
    }
    #expect(bytes.count < 20_000)
    let found = try read(bytes)
    #expect(found.items.map(\.tar.entry.byteCount) == [size, .max, 1])
    #expect(found.items[0].tar == item)
    #expect(found.items[0].data.prefix(3) == [1, 2, 3] && found.items[0].data.count == 4099)
    #expect(found.items[0].data[904] == 4 && found.items[0].data.suffix(3) == [5, 6, 7])
    #expect(found.items[1].data.isEmpty && found.items[1].tar.dataRanges == [])
    #expect(found.items[2].data == [42] && found.items[2].tar.dataRanges == nil)
  }

  @Test func `a file above 8 GiB has its size, and unwritten bytes are zeros`() throws {
    // Keeps only the header in memory.
    final class Counter {
      var header: [UInt8] = []
      var count = 0
    }
    let counter = Counter()
    let size = Int64(8 << 30) + 5
    let writer = try unsafe TarWriter { bytes in
      counter.count += bytes.count
      if counter.header.count < 4096 { unsafe counter.header.append(contentsOf: bytes) }
    }
    try writer.add(TarEntry(path: [0x61], entry: FileEntry(.regular, "a", byteCount: size)))
    try writer.finish()
    #expect(counter.count > size && counter.count < size + 8192)
    try Data(counter.header.prefix(4096)).write(to: URL(filePath: directory.path("cut.tar")))
    let reader = try TarReader(path: directory.bytes("cut.tar"))
    #expect(try reader.next()?.entry.byteCount == size)
    while let piece = tarData(reader) { #expect(piece.allSatisfy { $0 == 0 }) }
    #expect(tarError { try reader.next() } != nil)
  }

  private func tarData(_ reader: TarReader) -> [UInt8]? { (try? reader.readData())?.bytes }
}
