import CFuzzTargets
import Foundation
import TestSupport
import Testing
import Todana

/// Nodes of an encrypted tree that an attacker exchanges, copies or puts back, with corrected checksums.
@Suite struct TamperedNodeTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private var path: String { directory.path("Store") }
  private var url: URL { URL(filePath: path).appending(path: "0002.kct") }

  private func open() throws -> KyotoBackend {
    try KyotoBackend(.directory(path), secret: .key([UInt8](repeating: 4, count: 16)))
  }

  private static func key(_ number: Int) -> [UInt8] { Array("key \(10_000 + number)".utf8) }
  private static let count = 3000

  private func put(_ numbers: Range<Int>, _ value: UInt8, in backend: KyotoBackend) throws {
    let tree = try backend.keyspaceID(of: .tree, named: Array("index".utf8))
    var batch = WriteBatch()
    for number in numbers { batch.put([UInt8](repeating: value, count: 8), key: Self.key(number), in: tree) }
    batch.sort()
    _ = try backend.commit(batch, durability: .full)
  }

  /// Returns the ranges of the sealed leaves, grouped by length.
  ///
  /// The length precedes the key, in two bytes of seven bits.
  private func leaves(in content: [UInt8]) -> [Int: [Range<Int>]] {
    var found: [Int: [Range<Int>]] = [:]
    for offset in 3..<content.count - 4
    where content[offset] == UInt8(ascii: "L") && content[offset + 2] == 0x20 && content[offset + 3] == 1
      && content[offset - 3] == 2 && content[offset - 2] & 0x80 != 0
    {
      let length = Int(content[offset - 2] & 0x7F) << 7 | Int(content[offset - 1])
      guard offset + 2 + length <= content.count else { continue }
      found[length, default: []].append(offset + 2..<offset + 2 + length)
    }
    return found
  }

  /// Returns the value of every key, nil for those that cannot be read.
  private func values() throws -> [UInt8?] {
    let backend = try open()
    defer { try? backend.close() }
    let tree = try backend.keyspaceID(of: .tree, named: Array("index".utf8))
    let chunk = RecordChunk()
    return (0..<Self.count).map { number in
      do throws(BackendError) {
        try backend.read(key: Self.key(number), of: tree, into: chunk)
      } catch {
        #expect(error.code == .damaged)
        return nil
      }
      return unsafe chunk.arena.bytes[chunk.slices[0].value.lowerBound]
    }
  }

  private func scanError() throws -> BackendError? {
    let backend = try open()
    defer { try? backend.close() }
    let tree = try backend.keyspaceID(of: .tree, named: Array("index".utf8))
    let chunk = RecordChunk()
    let snapshot = try backend.snapshot()
    do throws(BackendError) {
      let scan = try snapshot.scan(tree: tree, from: nil, to: nil, descending: false)
      repeat { try scan.next(into: chunk) } while !chunk.slices.isEmpty
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [false, true])
  func `a node in another node's place is refused`(isCopied: Bool) throws {
    let backend = try open()
    try put(0..<Self.count, 1, in: backend)
    try backend.close()
    #expect(try values().allSatisfy { $0 == 1 })
    var content = [UInt8](try Data(contentsOf: url))
    let pair = try #require(leaves(in: content).values.first { $0.count > 1 })
    let (first, second) = (content[pair[0]], content[pair[1]])
    content.replaceSubrange(pair[1], with: first)
    if !isCopied { content.replaceSubrange(pair[0], with: second) }
    try Data(content).write(to: url)
    unsafe tdn_make_sums_right(path, "0002.kct")
    let found = try values()
    #expect(found.contains(nil))
    #expect(found.allSatisfy { $0 == nil || $0 == 1 })
    #expect(found.contains(1), "the other nodes are read")
    #expect(try scanError()?.code == .damaged)
  }

  @Test func `an older version of a node is found by a complete scan`() throws {
    var backend = try open()
    try put(0..<Self.count, 1, in: backend)
    try backend.close()
    let before = [UInt8](try Data(contentsOf: url))
    backend = try open()
    try put(0..<Self.count, 2, in: backend)
    try backend.close()
    var content = [UInt8](try Data(contentsOf: url))
    let place = try #require(leaves(in: content).values.joined().first { before[$0.lowerBound] == 0x20 })
    try #require(before.count == content.count, "nodes of the same length keep their places")
    content.replaceSubrange(place, with: before[place])
    try Data(content).write(to: url)
    unsafe tdn_make_sums_right(path, "0002.kct")
    let found = try values()
    #expect(Set(found) == [1, 2], "single reads do not detect an older node")
    #expect(try scanError()?.code == .contentsDoNotMatchDigest)
  }
}
