import CStorageEngine
import CXXHash
import Foundation
import TestSupport
import Testing

/// Data files with hostile content: every call ends, with the right answer or with an error.
@Suite struct HostileFileTests {
  static let names = ["0001-catalog.kch", "0002-Song.kch", "0003-buffers.kch", "0004-index.kct"]

  /// Makes a closed store with 900 records in each of three keyspaces, and with free blocks.
  private func makeStore(_ path: String) throws -> [UInt32: [CabinetKey: [UInt8]]] {
    let cabinet = try TestCabinet(path)
    let kinds = [TDN_KEYSPACE_ROWS, TDN_KEYSPACE_KEYS, TDN_KEYSPACE_TREE]
    var models: [UInt32: [CabinetKey: [UInt8]]] = [:]
    var changes: [CabinetChange] = []
    for (index, name) in ["Song", "buffers", "index"].enumerated() {
      let keyspace = try cabinet.keyspace(kinds[index], name)
      for number in 1...900 {
        let key = index == 0 ? CabinetKey.row(UInt64(number)) : .bytes([UInt8(number >> 8), UInt8(number & 0xff)])
        let value = Array(repeating: UInt8(number & 0xff), count: number % 20 == 0 ? 700 : 10 + number % 13)
        models[keyspace, default: [:]][key] = value
        changes.append(CabinetChange(keyspace: keyspace, key: key, value: value))
      }
    }
    try cabinet.commit(changes)
    let removed = changes.enumerated().filter { $0.offset % 7 == 0 }.map(\.element)
    try cabinet.commit(removed.map { CabinetChange(keyspace: $0.keyspace, key: $0.key, value: nil) })
    for change in removed { models[change.keyspace]?[change.key] = nil }
    try cabinet.close()
    return models
  }

  @Test(arguments: 0..<(isLongTest ? 400 : 15) as Range<UInt64>)
  func `a flipped bit is found, or changes no answer`(_ seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let models = try makeStore(path)
    var random = SeededGenerator(seed: seed)
    let file = path + "/" + (Self.names.randomElement(using: &random) ?? "")
    try change(file) { bytes in
      bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    guard let cabinet = try? TestCabinet(path) else { return }
    for (keyspace, model) in models {
      for (key, value) in model {
        guard let answer = try? cabinet.get(key, in: keyspace) else { continue }
        #expect(answer == .found(value) || answer == .damaged)
      }
      guard let snapshot = try? cabinet.snapshot() else { continue }
      let scan = keyspace == 3 ? try? snapshot.range(keyspace) : try? snapshot.scan(keyspace)
      guard let records = try? scan?.all() else { continue }
      for record in records where record.value != nil { #expect(record.value == model[record.key]) }
    }
  }

  /// Writes any content with correct checksums, as an attacker could.
  ///
  /// Answers may then be wrong, but no call crashes or runs forever.
  @Test(arguments: 0..<(isLongTest ? 600 : 25) as Range<UInt64>)
  func `hostile content with valid checksums does no harm`(_ seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let models = try makeStore(path)
    var random = SeededGenerator(seed: seed)
    let number = [1, 2, 2, 2, 3, 3, 4, 4, 4].randomElement(using: &random) ?? 2
    let file = path + "/" + Self.names[number - 1]
    try change(file) { bytes in
      for _ in 0..<Int.random(in: 1...6, using: &random) { corrupt(&bytes, isTree: number == 4, &random) }
    }
    try seal(file, number: UInt32(number))

    guard let cabinet = try? TestCabinet(path) else { return }
    readEverything(cabinet, models)
    let held = try? cabinet.snapshot()
    for keyspace in models.keys.sorted() {
      for _ in 0..<4 {
        let keys = (models[keyspace] ?? [:]).keys.shuffled(using: &random).prefix(60).sorted()
        _ = try? cabinet.commit(
          keys.map { key in
            let length = Int.random(in: 0..<900, using: &random)
            let isRemoval = Int.random(in: 0..<3, using: &random) == 0
            return CabinetChange(
              keyspace: keyspace, key: key, value: isRemoval ? nil : Array(repeating: 1, count: length))
          })
      }
    }
    _ = try? held?.scan(1).all()
    readEverything(cabinet, models)
    try? cabinet.close()
  }

  private func readEverything(_ cabinet: TestCabinet, _ models: [UInt32: [CabinetKey: [UInt8]]]) {
    for (keyspace, model) in models {
      for key in model.keys { _ = try? cabinet.get(key, in: keyspace) }
      guard let snapshot = try? cabinet.snapshot() else { continue }
      for isDescending in [false, true] {
        let scan =
          keyspace == 3 ? try? snapshot.range(keyspace, descending: isDescending) : try? snapshot.scan(keyspace)
        _ = try? scan?.all()
      }
    }
  }

  // MARK: Changing files

  private func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    body(&bytes)
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Changes a place with a large effect: the header, the free-block pool, the start of a record or an address.
  private func corrupt(_ bytes: inout [UInt8], isTree: Bool, _ random: inout SeededGenerator) {
    let recordStart = isTree ? 12_544 : 30_776
    var offset =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: Int.random(in: 0..<64, using: &random)
      case 1: Int.random(in: 64..<6200, using: &random)
      case 2: Int.random(in: bytes.indices, using: &random)
      default: (Int.random(in: recordStart..<bytes.count, using: &random) & ~7) + Int.random(in: 0..<17, using: &random)
      }
    var content = (0..<Int.random(in: 1...6, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      // The address of a random place in the file.
      let target = Int.random(in: bytes.indices, using: &random) >> (isTree ? 8 : 3)
      content = (0..<6).map { UInt8(truncatingIfNeeded: target >> (40 - 8 * $0)) }
    }
    offset = min(offset, bytes.count - content.count)
    bytes.replaceSubrange(offset..<offset + content.count, with: content)
  }

  /// Corrects the page checksums (docs/formats/redo-log.md).
  private func seal(_ path: String, number: UInt32) throws {
    let content = Array(try Data(contentsOf: URL(filePath: path)))
    try change(path + ".sums") { sums in
      for start in stride(from: 0, to: content.count, by: 4096) {
        var page = Array(content[start..<min(start + 4096, content.count)])
        page += Array(repeating: 0, count: 4096 - page.count)
        let seed = UInt64(number) << 40 ^ UInt64(start / 4096) ^ 0x544F_4441_4E41_5047
        let sum = unsafe XXH_INLINE_XXH3_64bits_withSeed(page, page.count, seed)
        for byte in 0..<8 {
          sums[4096 + start / 4096 * 8 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte)))
        }
      }
    }
  }
}
