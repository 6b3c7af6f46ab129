import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of truncated or damaged tars: each gives an error or entries.
@Suite struct TarDamageTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree(isInMemory: true) }

  private func content(_ bytes: [UInt8]) throws -> TarContent {
    try Data(bytes).write(to: URL(filePath: directory.path("tar")))
    return try TarContent(path: directory.path("tar"))
  }

  /// Returns a tar with every feature that our tars use.
  private static func sample() throws -> [UInt8] {
    try tarBytes { writer in
      let attributes = [
        ExtendedAttribute(name: Array("user.note".utf8), value: [0, 1, 2]),
        ExtendedAttribute(name: Array("system.posix_acl_access".utf8), value: TortureTree.accessControlList),
      ]
      try writer.add("directory", FileEntry(.directory, "directory", attributes: attributes))
      try writer.add("directory/file", FileEntry(.regular, "file", attributes: attributes), data: [1, 2, 3])
      try writer.add("link", .link("link", to: String(repeating: "é/", count: 150)))
      try writer.add(
        TarEntry(
          path: Array("sparse".utf8), entry: FileEntry(.regular, "sparse", byteCount: 1 << 40),
          dataRanges: [0..<512, 1 << 30..<1 << 30 + 700]))
      try writer.write([UInt8](repeating: 1, count: 512).span, at: 0)
      try writer.add(String(repeating: "long/", count: 60), FileEntry(.fifo, "fifo", time: FileTime(seconds: -3)))
      try writer.add("big", FileEntry(.regular, "big"), data: [UInt8](repeating: 5, count: 100_000))
    }
  }

  @Test func `a tar that is cut off anywhere is recognized as incomplete`() throws {
    let sample = try Self.sample()
    let whole = try content(sample)
    #expect(whole.items.count == 6 && whole.hasEnd)
    let counts = [97, 512].flatMap { Array(stride(from: 0, through: sample.count - 1024, by: $0)) }
    for count in counts {
      var found: TarContent?
      let failure = tarError { found = try content(Array(sample.prefix(count))) }
      #expect(failure != nil || found?.hasEnd == false, "\(count)")
    }
  }

  @Test func `compressed tars that are cut off or damaged are errors`() throws {
    for program in ["gzip", "xz", "zstd", "bzip2"] where Command.isInstalled(program) {
      try Data(try Self.sample()).write(to: URL(filePath: directory.path("plain")))
      let packed = try Command.run(program, ["-c", directory.path("plain")])
      #expect(try content(packed).items.count == 6)
      for count in [packed.count - 1, packed.count - 9, packed.count / 2, 40] {
        #expect(tarError { try content(Array(packed.prefix(count))) } != nil, "\(program) \(count)")
      }
      if program == "xz" {
        // The damage is after the end of the tar.
        var damaged = packed
        damaged[packed.count - 5] ^= 1
        #expect(tarError { try content(damaged) } != nil)
      }
      for _ in 0..<50 {
        var damaged = packed
        damaged[Int.random(in: 20..<packed.count)] ^= 1 << UInt8.random(in: 0..<8)
        _ = tarError { try content(damaged) }
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `damaged bytes give an error or other entries`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sample = try Self.sample()
    let headers = stride(from: 0, to: sample.count, by: 512).filter {
      Array(sample[$0 + 257..<$0 + 262]) == Array("ustar".utf8)
    }
    for round in 0..<200 {
      var damaged = sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        // Bytes near headers are damaged, because most of the tar is data.
        let header = headers.randomElement(using: &random) ?? 0
        let index = min(header + Int.random(in: 0..<1536, using: &random), sample.count - 1)
        damaged[index] =
          round % 3 == 0
          ? damaged[index] ^ (1 << UInt8.random(in: 0..<8, using: &random))
          : [0, 0x20, 0x30, 0x37, 0x39, 0x3D, 0x4C, 0x53, 0x78, 0x80, 0xFF].randomElement(using: &random) ?? 0
      }
      // In every second round the checksums are made valid again.
      if round % 2 == 0 {
        for header in headers {
          damaged.replaceSubrange(header..<header + 512, with: HostileTar.summed(Array(damaged[header..<header + 512])))
        }
      }
      var found: TarContent?
      _ = tarError { found = try content(damaged) }
      #expect(found?.items.reduce(0) { $0 + $1.data.count } ?? 0 <= sample.count, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: ["", "x", "no tar at all", String(repeating: "garbage ", count: 10_000)])
  func `data that is no tar is an error`(text: String) {
    #expect(tarError { try content(Array(text.utf8)) } != nil)
  }

  @Test func `a file that cannot be read is an error`() throws {
    let failure = tarError { try TarReader(path: directory.bytes("nothing")) }
    #expect((failure?.underlying as? FileError)?.code == .vanished)
    #expect(tarError { try TarReader(path: [0x61, 0]) } != nil)
    #expect(tarError { try TarContent(TarReader(path: directory.bytes("."))) } != nil)
    #expect(tarError { try TarContent(TarReader(-1)) } != nil)
  }

  @Test func `an empty tar has an end`() throws {
    #expect(try content(tarBytes { _ in }) == content([UInt8](repeating: 0, count: 1024)))
    #expect(try content(tarBytes { _ in }).hasEnd)
  }
}
