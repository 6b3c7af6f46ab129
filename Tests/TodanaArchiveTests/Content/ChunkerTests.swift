import TestSupport
import Testing

@testable import TodanaArchive

@Suite struct ChunkerTests {
  private let sizes = Chunker.Sizes(minimum: 256, wanted: 1024, maximum: 4096)

  private func chunker(seed: UInt64 = 1) throws -> Chunker {
    var generator = SeededGenerator(seed: seed)
    let key = try #require(ArchiveKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    return try key.makeChunker(sizes)
  }

  private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Cuts content that arrives in pieces of a fixed length.
  private func chunks(of content: [UInt8], by chunker: Chunker, pieces: Int) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var waiting: [UInt8] = []
    var position = 0
    while true {
      let isWhole = position == content.count
      if let cut = unsafe waiting.withUnsafeBytes({ unsafe chunker.firstCut(in: $0, isWhole: isWhole) }) {
        chunks.append(Array(waiting[..<cut]))
        waiting.removeFirst(cut)
        continue
      }
      if isWhole { return chunks }
      let end = min(position + pieces, content.count)
      waiting += content[position..<end]
      position = end
    }
  }

  @Test(arguments: [0, 1, 255, 256, 257, 4096, 4097, 100_000])
  func `chunks join to the content, within their size limits, however it is passed`(count: Int) throws {
    let content = randomBytes(count, seed: UInt64(count))
    let chunker = try chunker()
    let whole = chunks(of: content, by: chunker, pieces: max(count, 1))
    #expect(Array(whole.joined()) == content)
    for chunk in whole.dropLast() { #expect((257...4096).contains(chunk.count)) }
    for chunk in whole.suffix(1) { #expect((1...4096).contains(chunk.count)) }
    for pieces in [1, 300, 5000] { #expect(chunks(of: content, by: chunker, pieces: pieces) == whole) }
  }

  @Test func `chunks have about the requested size, and are equally long in uniform content`() throws {
    let chunker = try chunker()
    let content = randomBytes(1_000_000, seed: 3)
    let found = chunks(of: content, by: chunker, pieces: content.count)
    let average = content.count / found.count
    #expect((900...1600).contains(average), "\(average)")
    let zeros = chunks(of: [UInt8](repeating: 0, count: 20_000), by: chunker, pieces: 20_000)
    #expect(Set(zeros.dropLast().map(\.count)).count == 1)
  }

  @Test func `an insertion changes only the chunks around it`() throws {
    let chunker = try chunker()
    let content = randomBytes(200_000, seed: 4)
    let before = Set(chunks(of: content, by: chunker, pieces: content.count))
    var changed = content
    changed.insert(contentsOf: [1, 2, 3], at: 100_000)
    let after = chunks(of: changed, by: chunker, pieces: changed.count)
    #expect(after.count { !before.contains($0) } <= 4)
  }

  @Test func `another secret gives other chunk boundaries`() throws {
    let content = randomBytes(100_000, seed: 5)
    let one = chunks(of: content, by: try chunker(seed: 1), pieces: content.count).map(\.count)
    let other = chunks(of: content, by: try chunker(seed: 2), pieces: content.count).map(\.count)
    #expect(one != other)
  }
}
