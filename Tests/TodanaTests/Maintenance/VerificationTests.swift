import Foundation
import TestSupport
import Testing
import Todana

/// A class that reads more than it writes.
private final class Forgetful: StoredObject {
  override func readContent(from buffer: inout DataBuffer) throws { _ = try buffer.readUInt64() }
}

@Suite struct VerificationTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: EveryBackend.allCases) func `a sound store is sound`(_ backend: EveryBackend) throws {
    let store = try Store(backend: backend.open(in: directory), classes: [Song.self, Playlist.self, Node.self])
    let playlist = Playlist()
    for index in 0..<1000 {
      let song = Song("song \(index)", seconds: UInt32(index))
      try store.insert(song)
      if index < 10 { playlist.songs.append(song) }
    }
    try store.insert(playlist)
    let node = Node()
    node.next = node
    try store.insert(node)
    try store.writeNamedBuffer("buffer") { $0.writeString("content") }
    try store.saveChanges()
    // A pending object is not verified.
    try store.insert(Song("pending"))
    var phases: [VerificationProgress.Phase] = []
    let report = try store.verify { progress in
      #expect(progress.doneCount <= progress.totalCount)
      if phases.last != progress.phase { phases.append(progress.phase) }
    }
    #expect(report.isSound && report.problemCount == 0 && report.problems.isEmpty)
    #expect(report.recordCount == 1002 && report.namedBufferCount == 1 && report.indexEntryCount == 0)
    #expect(report.referenceCount == 11)
    #expect(report.byteCount > 1000 * 20)
    #expect(report.commitNumber > 0)
    #expect(phases == (report.pageCount > 0 ? [.pages, .records, .references] : [.records, .references]))
    #expect((report.pageCount > 0) == (backend == .directory || backend == .temporary || backend == .encrypted))
    #expect(store.hasUnsavedChanges)
    try store.close(discarding: true)
  }

  @Test(arguments: EveryBackend.allCases) func `a store in which nothing was saved is sound`(
    _ backend: EveryBackend
  ) throws {
    let store = try Store(backend: backend.open(in: directory), classes: [Song.self])
    let report = try store.verify()
    #expect(report.isSound && report.recordCount == 0)
    try store.close()
  }

  @Test(.plainAndEncrypted) func `problems of content are not damage`() throws {
    let backend = FaultyBackend()
    do {
      let store = try Store(backend: backend, classes: [Song.self, Playlist.self, Forgetful.self])
      let playlist = Playlist()
      playlist.songs = [Song("kept"), Song("deleted")]
      try store.insert(playlist.songs[0])
      try store.insert(playlist.songs[1])
      try store.insert(playlist)
      try store.insert(Forgetful())
      try store.saveChanges()
      try store.delete(playlist.songs[1])
      try store.saveChanges()
      let report = try store.verify()
      #expect(report.isSound && report.problemCount == 2)
      #expect(report.problems.map(\.kind) == [.unreadableContent, .danglingReference])
      #expect(report.problems.map(\.className) == ["Forgetful", "Playlist"])
      #expect(report.problems.allSatisfy { $0.rowID == 1 })
    }
    let store = try Store(backend: backend, classes: [OldSong.self])
    let report = try store.verify()
    #expect(report.isSound)
    #expect(report.problems.map(\.kind) == [.newerVersion])
    #expect(report.unknownClassNames.sorted() == ["Forgetful", "Playlist"])
    let document = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(VerificationReport.self, from: document).problems == report.problems)
  }

  @Test(arguments: [false, true]) func `references to rows that damage hides do not count as dangling`(
    _ isEncrypted: Bool
  ) throws {
    let path = directory.path("store")
    let secret = StoreSecret.key([UInt8](repeating: 7, count: 32))
    var configuration = StoreConfiguration(encryption: isEncrypted ? .callback { secret } : .none)
    func open() throws -> Store {
      try Store(.directory(path), classes: [Song.self, Playlist.self], configuration: configuration)
    }
    var store = try open()
    let playlist = Playlist()
    playlist.songs = (0..<3000).map { Song("song \($0)", seconds: UInt32($0)) }
    for song in playlist.songs { try store.insert(song) }
    try store.insert(playlist)
    try store.saveChanges()
    try store.delete(playlist.songs[5])
    try store.saveChanges()
    try store.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".kch") }
    let urls = files.map { URL(filePath: "\(path)/\($0)") }
    let url = try #require(try urls.max { try Data(contentsOf: $0).count < Data(contentsOf: $1).count })
    var bytes = try Data(contentsOf: url)
    for page in stride(from: bytes.count / 8192, to: bytes.count / 4096, by: 3) {
      bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: Data(count: 4096))
    }
    try bytes.write(to: url)
    configuration.access = .read
    store = try open()
    let report = try store.verify()
    #expect(report.problems.contains { $0.kind == .damagedRecord && $0.rowID == nil })
    let dangling = report.problems.filter { $0.kind == .danglingReference }
    #expect(dangling.map(\.message) == ["It refers to Song row 6, which does not exist."])
    try store.close()
  }

  @Test func `verification can be ended, and a store in use is sound`() throws {
    let backend = try KyotoBackend(.directory(directory.path("store")))
    let store = try Store(backend: backend, classes: [Song.self])
    let other = try Store(backend: backend, classes: [Song.self])
    for index in 0..<20_000 { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    struct Enough: Error {}
    #expect(throws: Enough.self) { try store.verify { _ in throw Enough() } }
    var saves = 0
    let songs = try other.fetch(Song.self)
    let report = try store.verify { _ in
      for song in songs[saves..<saves + 50] {
        try other.update(song) { $0.title += " changed, and longer than before" }
      }
      try other.delete(songs[10_000 + saves])
      try other.saveChanges()
      if saves % 3 == 0 { try backend.checkpoint() }
      saves += 1
    }
    #expect(report.isSound && report.problemCount == 0, "\(report.problems)")
    #expect(report.recordCount == 20_000)
    #expect(saves > 5)
    #expect(try store.verify().recordCount == 20_000 - saves)
    try other.close()
    try store.close()
  }

  /// Flips a bit or zeroes a page at random places of class files and their checksum files.
  @Test func `damage anywhere is found, or is harmless`() throws {
    let files = try StoreFiles()
    let before = try files.contents()
    let sound = before.mapValues(\.bytes)
    var generator = SeededGenerator(seed: 20)
    var foundCount = 0
    let roundCount = LongTests.areEnabled ? 2000 : 100
    for round in 0..<roundCount {
      let names = sound.keys.filter { $0.contains(".kch") }.sorted()
      let name = try #require(names.randomElement(using: &generator))
      var bytes = Array(try #require(sound[name]))
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      if round % 4 == 0 {
        let page = place / 4096 * 4096
        for index in page..<min(page + 4096, bytes.count) { bytes[index] = 0 }
      } else {
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      let isChanged = Data(bytes) != sound[name]
      let url = URL(filePath: files.path + "/" + name)
      try Data(bytes).write(to: url)
      let isFound = try damageIsFound(files)
      if isFound { foundCount += 1 }
      let isHarmless = try isFound || !isChanged || isUnharmed(files)
      #expect(isHarmless, "\(name), byte \(place), round \(round)")
      // Restore all files, because the openings may have changed others, too.
      for (name, content) in sound { try content.write(to: URL(filePath: files.path + "/" + name)) }
    }
    #expect(foundCount > roundCount / 2)
    print("\(foundCount) of \(roundCount) places were in use")
  }

  private func open(_ files: StoreFiles) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.access = .read
    return try Store(.directory(files.path), classes: [Song.self, Node.self], configuration: configuration)
  }

  private func damageIsFound(_ files: StoreFiles) throws -> Bool {
    do {
      let store = try open(files)
      defer { try? store.close() }
      let report = try store.verify()
      for problem in report.problems where problem.kind == .damagedPage {
        #expect(problem.file != nil && problem.page != nil)
      }
      return !report.isSound
    } catch let error as StoreError {
      // The damage is in the catalog, without which no records are found.
      #expect(error.code == .damagedRecord || error.backendError?.code == .damaged, "\(error)")
      return true
    }
  }

  private func isUnharmed(_ files: StoreFiles) throws -> Bool {
    let store = try open(files)
    defer { try? store.close() }
    let titles = try store.fetch(Song.self).map(\.title)
    let nodeCount = try store.count(Node.self)
    let buffer = try store.readNamedBuffer("buffer") { try $0.readString() }
    return titles == (1...StoreFiles.songCount).map(StoreFiles.title) && nodeCount == StoreFiles.nodeCount
      && buffer == "content"
  }
}

/// ``Song`` in an older program.
private final class OldSong: StoredObject {
  override class var storedName: String { "Song" }

  /// Guards against a report of damage after a process was killed during the first checkpoint of a file.
  @Test func `checksums without a header are no damage before the first checkpoint`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let (path, copy) = (directory.path("store"), directory.path("copy"))
    func open(_ path: String, isReadOnly: Bool = false) throws -> Store {
      var configuration = StoreConfiguration()
      if isReadOnly { configuration.access = .read }
      return try Store(.directory(path), classes: [Song.self], configuration: configuration)
    }
    let store = try open(path)
    for index in 0..<100 { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    // The copy has all commits in its log. The checkpoint that closes the store writes the files.
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try store.close()
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".sums") {
      let main = String(name.dropLast(".sums".count))
      try? FileManager.default.removeItem(atPath: "\(copy)/\(main)")
      try FileManager.default.copyItem(atPath: "\(path)/\(main)", toPath: "\(copy)/\(main)")
      var sums = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      sums.replaceSubrange(0..<4096, with: Data(count: 4096))
      try sums.write(to: URL(filePath: "\(copy)/\(name)"))
      count += 1
    }
    #expect(count >= 3)
    for isReadOnly in [true, false, true] {
      let store = try open(copy, isReadOnly: isReadOnly)
      #expect(try store.verify().problems.isEmpty)
      #expect(try store.fetch(Song.self).map(\.seconds) == Array(0..<100))
      try store.close()
    }
  }
}
