import TestSupport
import Testing

@testable import TodanaArchive

@Suite struct CompressionTests {
  private static let all: [Compression] = [.none, .standard, .zstd(level: 19), .zlib(level: 6), .zlib(level: 1)]

  private static func text(_ count: Int) -> [UInt8] {
    Array("the quick brown fox jumps over the lazy dog, ".utf8.cycled(to: count))
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 9)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test(arguments: all, [0, 1, 100, 70_000, 300_000])
  func `compressed content decompresses to the original`(compression: Compression, count: Int) throws {
    let compressor = try Compressor(compression)
    let decompressor = try Decompressor()
    for content in [Self.text(count), Self.noise(count)] {
      let (method, bytes) = try unsafe content.withUnsafeBytes { try unsafe compressor.compress($0) }
      #expect(try decompressor.decompress(bytes, method: method, byteCount: count) == content)
      #expect(bytes.count <= content.count)
    }
  }

  @Test func `incompressible content is stored uncompressed`() throws {
    for compression in Self.all {
      let compressor = try Compressor(compression)
      let noise = try unsafe Self.noise(300_000).withUnsafeBytes { try unsafe compressor.compress($0) }
      #expect(noise.0 == .none)
      let text = try unsafe Self.text(300_000).withUnsafeBytes { try unsafe compressor.compress($0) }
      #expect((text.0 == .none) == (compression == .none))
    }
  }

  @Test func `damaged compressed bytes are an error, or give content of the expected length`() throws {
    let decompressor = try Decompressor()
    for compression in [Compression.standard, .zlib(level: 6)] {
      let content = Self.text(10_000)
      let compressor = try Compressor(compression)
      let (method, bytes) = try unsafe content.withUnsafeBytes { try unsafe compressor.compress($0) }
      for wrong in [content.count - 1, content.count + 1, 0] {
        #expect(throws: ArchiveError.self) { try decompressor.decompress(bytes, method: method, byteCount: wrong) }
      }
      #expect(throws: ArchiveError.self) {
        try decompressor.decompress(Array(bytes.dropLast()), method: method, byteCount: content.count)
      }
      for position in bytes.indices {
        var damaged = bytes
        damaged[position] ^= 0x55
        // Some damaged bytes decompress to other content, which only its content name reveals.
        if let other = try? decompressor.decompress(damaged, method: method, byteCount: content.count) {
          #expect(other.count == content.count)
        }
      }
    }
  }

  @Test(arguments: ["none", "zstd", "zstd:1", "zstd:19", "zlib", "zlib:9"])
  func `names of compressions are parsed`(text: String) throws {
    _ = try Compression(text)
  }

  @Test(arguments: ["", "zstd:", "zstd:0", "zstd:20", "zlib:10", "none:1", "lz4", "zstd:x", "ZSTD"])
  func `invalid names of compressions are refused`(text: String) {
    let error = #expect(throws: ArchiveError.self) { try Compression(text) }
    #expect(error?.code == .invalidArgument)
  }
}

extension Collection {
  /// Returns the elements repeated up to a count.
  fileprivate func cycled(to count: Int) -> [Element] {
    var result: [Element] = []
    while result.count < count { result += prefix(count - result.count) }
    return result
  }
}
