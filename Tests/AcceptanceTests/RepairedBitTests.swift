// Single wrong bits in every file; in class files, only on the pages that are needed to find records. With repair
// enabled no record is lost, and the next save corrects the bit in the file.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct RepairedBitTests {
  private let files: StoreFiles

  init() throws { files = try StoreFiles() }

  private func open(_ access: KyotoBackend.Access = .write, repairedClasses: Set<String> = []) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.repairedClasses = repairedClasses
    configuration.access = access
    configuration.repairsFlippedBits = true
    return try Store(.directory(files.path), classes: [Song.self, Node.self], configuration: configuration)
  }

  private func expectAll(_ store: Store, _ problem: String) throws {
    #expect(try store.fetch(Song.self).count == StoreFiles.songCount, "\(problem)")
    #expect(try store.count(Node.self) >= StoreFiles.nodeCount, "\(problem)")
    #expect(try store.readNamedBuffer("buffer") { try $0.readString() } == "content", "\(problem)")
    for row in stride(from: 1, through: StoreFiles.songCount, by: 7) {
      let id = ObjectID<Song>(
        unchecked: AnyObjectID(classID: try #require(try store.catalog[Song.self]?.id), rowID: RowID(row)))
      #expect(try store.fetch(id)?.seconds == UInt32(row), "\(problem)")
    }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.path).filter { $0 != "lock" }.sorted()
  }

  private func flip(_ name: String, _ bits: [Int]) throws {
    let url = URL(filePath: files.path + "/" + name)
    var bytes = [UInt8](try Data(contentsOf: url))
    for bit in bits { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
    try Data(bytes).write(to: url)
  }

  /// Returns the number of bits of a file, excluding the records of a class.
  private func bitCount(_ name: String) throws -> Int {
    let size = try Data(contentsOf: URL(filePath: files.path + "/" + name)).count
    let hasRecords = name.hasSuffix("Song.kch") || name.hasSuffix("Node.kch")
    // Count only bits of the header, the pool of free blocks and the smallest bucket array.
    return 8 * (hasRecords ? min(size, 28_000) : size)
  }

  @Test func `one wrong bit of any file loses nothing, is reported by verify, and is gone after a save`() throws {
    var generator = SeededGenerator(seed: 12)
    for name in try names() {
      for round in 0..<6 {
        // The first round flips a bit in the file's header.
        let bit = Int.random(in: 0..<(round == 0 ? 256 : try bitCount(name)), using: &generator)
        let problem = "\(name), bit \(bit)"
        try flip(name, [bit])
        let reader = try open(.read)
        try expectAll(reader, problem)
        #expect(try !reader.verify().isSound, "\(problem)")
        try expectAll(reader, problem)
        try reader.close()
        let writer = try open()
        try expectAll(writer, problem)
        try writer.insert(Node())
        try writer.saveChanges()
        // The two copies of the list of the last commits are written alternately: by this checkpoint and by the close.
        try writer.backend.operations?.checkpoint()
        try writer.insert(Node())
        try writer.saveChanges()
        try expectAll(writer, problem)
        try writer.close()
        let other = try open(.read)
        let found = try other.verify()
        // A page is repaired only if it is read. Headers are always read.
        if bit < 256, !name.hasSuffix(".sums") || name.contains("Node") {
          #expect(found.isSound, "\(problem): \(found.problems)")
        }
        try expectAll(other, problem)
        try other.close()
        if !found.isSound { try flip(name, [bit]) }
      }
    }
  }

  @Test func `records are repaired only in the classes that are named`() throws {
    let song = try #require(try names().first { $0.hasSuffix("Song.kch") })
    let size = try Data(contentsOf: URL(filePath: files.path + "/" + song)).count
    var lostCount = 0
    for byte in [40_000, size / 2, size - 300] {
      try flip(song, [8 * byte])
      let other = try open(.read, repairedClasses: ["Node"])
      let lost = try DamagedRows.scanning(other).reported.count
      #expect(lost <= 1)
      lostCount += lost
      try other.close()
      let store = try open(.read, repairedClasses: ["Song"])
      try expectAll(store, "byte \(byte)")
      #expect(try !store.verify().isSound)
      try store.close()
      try flip(song, [8 * byte])
    }
    #expect(lostCount > 0)
  }

  @Test func `two wrong bits of a header are damage; one loses nothing and is reported by verify`() throws {
    let song = try #require(try names().first { $0.hasSuffix("Song.kch") })
    try flip(song, [70])
    var store = try Store(.directory(files.path), classes: [Song.self, Node.self])
    try expectAll(store, "one bit")
    #expect(try !store.verify().isSound)
    try store.close()
    try flip(song, [300])
    store = try open()
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(try store.count(Node.self) == StoreFiles.nodeCount)
    try store.close()
  }

  @Test func `repaired pages stay repaired when memory is released and when a save conflicts`() throws {
    let song = try #require(try names().first { $0.hasSuffix("Song.kch") })
    try flip(song, [8 * 12_000])
    let store = try open()
    try expectAll(store, "before")
    try store.releaseMemory()
    try expectAll(store, "after")
    // A commit that conflicts changes nothing.
    let other = try Store(backend: store.backend, classes: [Song.self, Node.self])
    let songs = (try store.fetch(Song.self)[5], try other.fetch(Song.self)[5])
    try store.update(songs.0) { $0.title = "one" }
    try other.update(songs.1) { $0.title = "two" }
    try store.saveChanges()
    #expect(throws: SaveConflict.self) { try other.saveChanges() }
    try store.releaseMemory()
    try expectAll(store, "after the conflict")
    try other.close(discarding: true)
    try store.close()
    #expect(try open(.read).verify().isSound)
  }
}
