import CFuzzTargets
import Foundation
import TestSupport
import Testing
import Todana

/// Flipped bits in a store's files: by accident, and by an attacker who corrects the checksums.
@Suite struct TamperingTests {
  static let isLong = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil
  static let key = [UInt8](repeating: 5, count: 16)

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private var path: String { directory.path("Store") }

  private func open(_ access: KyotoBackend.Access = .write) throws -> Store {
    var configuration = StoreConfiguration(encryption: .key(Self.key))
    configuration.access = access
    return try Store(.directory(path), classes: [Song.self, Playlist.self], configuration: configuration)
  }

  /// The content that reads of a store return.
  private struct Contents: Equatable {
    var songs: [String] = []
    var playlists: [String] = []
    var buffers: [String: Int] = [:]
    var entries: [[UInt8]] = []
  }

  private func contents() throws -> Contents {
    let store = try open(.read)
    defer { try? store.close() }
    var contents = Contents()
    contents.songs = try store.fetch(Song.self).map { "\($0.id?.rowID ?? 0) \($0.title) \($0.seconds)" }
    contents.playlists = try store.fetch(Playlist.self).map { "\($0.title) \($0.songs.compactMap { $0.id?.rowID })" }
    for name in try store.namedBufferNames() {
      contents.buffers[name] = try store.readNamedBuffer(name) { try $0.readInt() } ?? -1
    }
    if let tree = try store.backend.keyspaces().first(where: { $0.kind == .tree }) {
      let chunk = RecordChunk()
      let scan = try store.backend.snapshot().scan(tree: tree.id, from: nil, to: nil, descending: false)
      repeat {
        try scan.next(into: chunk)
        for slice in chunk.slices {
          contents.entries.append(
            unsafe [UInt8](chunk.arena.bytes[slice.key]) + [UInt8](chunk.arena.bytes[slice.value]))
        }
      } while !chunk.slices.isEmpty
    }
    return contents
  }

  /// Makes a small store.
  ///
  /// If the store is killed, its last commit is only in a log.
  ///
  /// - Returns: The store's content. If it is killed, the content before the last commit and the content after it.
  private func make(isKilled: Bool) throws -> [Contents] {
    var store = try open()
    let songs = (0..<12).map { Song("Blue in Green \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    let playlist = Playlist()
    playlist.title = "Late at Night"
    playlist.songs = Array(songs.prefix(3))
    try store.insert(playlist)
    try store.writeNamedBuffer("favourites") { $0.writeInt(7) }
    try store.saveChanges()
    let tree = try store.backend.keyspaceID(of: .tree, named: Array("index".utf8))
    var batch = WriteBatch()
    for number in 0..<20 as Range<UInt8> { batch.put([number], key: [1, number], in: tree, expecting: .absent) }
    batch.sort()
    _ = try store.backend.commit(batch, durability: .full)
    try store.close()
    let before = try contents()
    guard isKilled else { return [before] }
    store = try open()
    try store.update(songs: "other")
    try store.saveChanges()
    try FileManager.default.copyItem(atPath: path, toPath: directory.path("Killed"))
    try store.close()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: directory.path("Killed"), toPath: path)
    return [before, try contents()]
  }

  enum Culprit: CaseIterable {
    case accident, accidentAfterKill, tamperer
  }

  @Test(arguments: Culprit.allCases)
  func `each flipped bit is detected, or changes nothing`(_ culprit: Culprit) throws {
    let expected = try make(isKilled: culprit == .accidentAfterKill)
    var flipCount = 0
    var foundCount = 0
    var codes: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() where name != "lock" {
      let isData = name.hasSuffix(".kch") || name.hasSuffix(".kct") || name.hasSuffix(".tds")
      if culprit == .tamperer && !isData { continue }
      let url = URL(filePath: path).appending(path: name)
      let original = [UInt8](try Data(contentsOf: url))
      let sums = URL(filePath: path).appending(path: name + ".sums")
      let originalSums = isData ? try Data(contentsOf: sums) : Data()
      for offset in original.indices {
        // Few of the zero bytes are tested, because most are unused.
        let isUsed = original[offset] != 0
        let step = Self.isLong ? (isUsed ? 1 : 64) : (isUsed ? 7 : 1021)
        guard offset % step == 0 else { continue }
        // With a killed store the log is tested as well; its other files are like those of the closed store.
        let isEachBit = Self.isLong && isUsed && culprit != .accidentAfterKill
        for bit in isEachBit ? 0..<8 : offset % 8..<offset % 8 + 1 {
          var changed = original
          changed[offset] ^= 1 << UInt8(bit)
          try Data(changed).write(to: url)
          if culprit == .tamperer { unsafe tdn_make_sums_right(path, name) }
          flipCount += 1
          do {
            let found = try contents()
            // A torn end of the log is not reported: such a commit counts as never acknowledged.
            #expect(expected.contains(found), "\(name), byte \(offset), bit \(bit)")
          } catch {
            foundCount += 1
            codes.insert(
              (error as? StoreError).map { "\($0.code)" } ?? (error as? BackendError).map { "\($0.code)" } ?? "?")
          }
        }
      }
      try Data(original).write(to: url)
      if isData { try originalSums.write(to: sums) }
    }
    #expect(expected.contains(try contents()), "the store is unchanged")
    #expect(flipCount > 300)
    // Most bytes of logs and of buckets are unused.
    #expect(foundCount > flipCount / 20)
    #expect(!codes.contains("?"), "\(codes)")
    print("flipped bits, \(culprit): \(foundCount) of \(flipCount) found: \(codes.sorted())")
  }

  /// Tries the known attack on sums of MACs.
  ///
  /// If digests are visible, linear algebra finds a set of old rows that can be put back without changing the sum.
  @Test(arguments: [false, true])
  func `old rows that keep the digest can be found only if digests are in clear`(isEncrypted: Bool) throws {
    let encryption = isEncrypted ? StoreEncryption.key(Self.key) : .none
    let configuration = StoreConfiguration(encryption: encryption)
    let rowCount = 200
    var store = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    for index in 0..<rowCount { try store.insert(Song("old \(1000 + index)", seconds: 1)) }
    try store.saveChanges()
    try store.backend.operations?.checkpoint()
    let keyspace = try #require(try store.backend.keyspaces().first).id.rawValue
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: path).first {
        $0.hasPrefix("0002") && !$0.hasSuffix(".sums")
      })
    let url = URL(filePath: path).appending(path: name)

    // An attacker's view of the directory after each save: the class's file, and the bytes stored for its digest.
    var files = [[UInt8](try Data(contentsOf: url))]
    var digests = [try digest(of: keyspace, isEncrypted)]
    for song in try store.fetch(Song.self) {
      try store.update(song) { $0.title = "new" + $0.title.dropFirst(3) }
      try store.saveChanges()
      try store.backend.operations?.checkpoint()
      files.append([UInt8](try Data(contentsOf: url)))
      digests.append(try digest(of: keyspace, isEncrypted))
    }
    try store.close()
    let differences = zip(digests, digests.dropFirst()).map { zip($0, $1).map { $0 ^ $1 } }
    let chosen = try #require(dependentSubset(of: differences))
    #expect(chosen.count > 1)
    for column in 0..<16 {
      #expect(chosen.reduce(0 as UInt8) { $0 ^ differences[$1][column] } == 0, "the differences cancel each other")
    }

    // Puts back the bytes that each of those saves changed, and corrects the checksums.
    let header = 256
    var content = [UInt8](try Data(contentsOf: url))
    for save in chosen {
      let (before, after) = (files[save], files[save + 1])
      for offset in header..<before.count where before[offset] != after[offset] { content[offset] = before[offset] }
    }
    try Data(content).write(to: url)
    unsafe tdn_make_sums_right(path, name)
    store = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    if isEncrypted {
      let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
      #expect(error?.code == .contentsDoNotMatchDigest)
    } else {
      let songs = try store.fetch(Song.self)
      #expect(songs.filter { $0.title.hasPrefix("old") }.count == chosen.count, "the attack works")
    }
    try store.close()
  }

  /// Returns the digest of a plain store.
  ///
  /// For an encrypted store, returns the sealed bytes at its place.
  private func digest(of keyspace: UInt32, _ isEncrypted: Bool) throws -> [UInt8] {
    let states = [UInt8](try Data(contentsOf: URL(filePath: path).appending(path: "0000-states.tds")))
    let slot = 64 * (Int(keyspace) + 1)
    // The digest follows the version and the count. In an encrypted store, these follow length, format, epoch and
    // nonce.
    let start = slot + 1 + (isEncrypted ? 14 : 0) + 9
    return Array(states[start..<start + 16])
  }

  /// Finds vectors that add up to zero, by Gaussian elimination over the field of two elements.
  private func dependentSubset(of vectors: [[UInt8]]) -> [Int]? {
    var basis: [(vector: [UInt8], members: Set<Int>, pivot: Int)] = []
    for (index, vector) in vectors.enumerated() {
      var rest = vector
      var members: Set<Int> = [index]
      for element in basis where rest[element.pivot / 8] >> (element.pivot % 8) & 1 != 0 {
        for column in rest.indices { rest[column] ^= element.vector[column] }
        members.formSymmetricDifference(element.members)
      }
      let isSet = { (bit: Int) -> Bool in rest[bit / 8] >> UInt8(bit % 8) & 1 != 0 }
      guard let pivot = (0..<8 * rest.count).first(where: isSet) else { return members.sorted() }
      basis.append((rest, members, pivot))
    }
    return nil
  }
}

extension Store {
  fileprivate func update(songs title: String) throws {
    for song in try fetch(Song.self) { try update(song) { $0.title = title } }
  }
}
