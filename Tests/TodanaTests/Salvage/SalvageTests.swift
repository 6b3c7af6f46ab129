import Foundation
import TestSupport
import Testing
import Todana

/// Salvage: readable records of a damaged store are copied to a new one, and all others are reported.
@Suite struct SalvageTests {
  private static let classes: [StoredObject.Type] = [Song.self, Playlist.self, Node.self]
  private static let songCount = 2000
  private static let storedCount = songCount + 4

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: Sound stores

  @Test(arguments: [false, true]) func `all records of a sound store are salvaged`(_ isKilled: Bool) throws {
    let path = try makeStore(isKilled: isKilled)
    var steps = 0
    let report = try Store.salvage(from: path, to: directory.path("salvaged")) { progress in
      #expect(progress.doneByteCount <= progress.byteCount)
      steps += 1
    }
    #expect(steps > 0)
    #expect(report.isComplete && report.losses.isEmpty && report.lostCount == 0)
    #expect(report.savedCount == Self.storedCount)
    let names = report.keyspaces.map { "\($0.number) \($0.name): \($0.savedCount)" }
    #expect(names == ["1 Song: 2000", "2 Playlist: 1", "4 named buffers: 2", "5 Node: 1"])
    try expectWhole(directory.path("salvaged"))
    // The salvaged store has its own id and can be opened together with the damaged one.
    let old = try Store(.directory(path), classes: Self.classes)
    let new = try Store(.directory(directory.path("salvaged")), classes: Self.classes)
    #expect(old.backend.storeID != new.backend.storeID)
    #expect(try new.verify().isSound)
    // No row id is handed out twice.
    let song = Song("new")
    #expect(try new.insert(song).rowID >= old.catalog[Song.self]?.nextRowID ?? 0)
    try old.close()
    try new.close(discarding: true)
    #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged.partial")))
  }

  // MARK: Lost structures that locate records

  enum Loss: String, CaseIterable {
    case superblock, catalog, checksums, headers, logs, lastCommits, catalogAndHeaders, checksumsAndCatalog
  }

  @Test(arguments: Loss.allCases)
  func `records are found without the files and headers that locate them`(_ loss: Loss) throws {
    let path = try makeStore(isKilled: loss == .logs)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let file = path + "/" + name
      let isCatalog = name.hasSuffix("-catalog.kch")
      let isLost =
        switch loss {
        case .superblock: name == "superblock"
        case .catalog: isCatalog
        case .checksums: name.hasSuffix(".sums")
        case .headers: false
        case .logs: name.hasPrefix("log-")
        case .lastCommits: name == "commits"
        case .catalogAndHeaders: isCatalog
        case .checksumsAndCatalog: isCatalog || name.hasSuffix(".sums")
        }
      if isLost { try FileManager.default.removeItem(atPath: file) }
      if loss == .headers || loss == .catalogAndHeaders, name.hasSuffix(".kch"), !isCatalog {
        try overwrite(file, at: 0, with: [UInt8](repeating: 0, count: 64))
      }
    }
    let report = try Store.salvage(from: path, to: directory.path("salvaged"))
    if loss == .logs {
      // The newest saves were only in the logs.
      #expect(report.savedCount == Self.storedCount - 500 - 1)
      return
    }
    #expect(report.savedCount == Self.storedCount)
    try expectWhole(directory.path("salvaged"), renamed: !report.keyspaces.allSatisfy(\.isNameKnown))
    let hasLosses = [.superblock, .catalog, .checksums, .catalogAndHeaders, .checksumsAndCatalog].contains(loss)
    #expect(report.losses.isEmpty == !hasLosses)
  }

  // MARK: Random damage

  @Test(arguments: FileDamage.allCases)
  func `undamaged records are salvaged, and no false ones`(_ damage: FileDamage) throws {
    let original = try makeStore(isKilled: true)
    var random = SeededGenerator(seed: 11)
    var losses: [Int] = []
    let rowIDs = try rowIDsOfSongs(in: original)
    let runCount = LongTests.areEnabled ? 500 : 40
    for run in 0..<runCount {
      let path = directory.path("damaged")
      try FileManager.default.copyItem(atPath: original, toPath: path)
      let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }.sorted()
      let name = try #require(names.randomElement(using: &random))
      try damage.apply(to: path + "/" + name, &random)
      let report = try Store.salvage(from: path, to: directory.path("salvaged"))
      let lost = Self.storedCount - report.savedCount
      try expectNothingFalse(directory.path("salvaged"), rowIDs, "run \(run), damage to \(name)")
      // One damaged place loses at most one pack of 32 rows. A cut file loses all records after the cut. A damaged log
      // loses the saves that are not in the main files yet.
      switch damage {
      case .flippedBit where !name.hasPrefix("log-"), .garbage where !name.hasPrefix("log-"):
        #expect(lost <= 64, "\(name)")
      case .zeroedPage where !name.hasPrefix("log-"): #expect(lost <= 200, "\(name)")
      default: break
      }
      if name.hasSuffix(".kch"), lost > 0 {
        #expect(!report.isComplete, "\(name): \(lost) are lost, but not reported")
      }
      losses.append(lost)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.removeItem(atPath: directory.path("salvaged"))
    }
    print(
      "salvage, \(damage), \(runCount) times: \(losses.count { $0 == 0 }) without loss, at most \(losses.max() ?? 0) lost"
    )
  }

  /// Guards against random bytes that look like a long record: once, they hid the records after them.
  @Test func `a large damaged part loses no record outside of it`() throws {
    let path = directory.path("large")
    let store = try Store(.directory(path), classes: [Song.self])
    for index in 0..<60_000 { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    try store.close()
    let file = path + "/0002-Song.kch"
    let byteCount = try Data(contentsOf: URL(filePath: file)).count
    var random = SeededGenerator(seed: 3)
    let garbage = [UInt8](capacity: byteCount / 5) { output in
      for _ in 0..<byteCount / 5 { output.append(UInt8.random(in: 0...255, using: &random)) }
    }
    try overwrite(file, at: UInt64(byteCount / 2), with: garbage)
    let report = try Store.salvage(from: path, to: directory.path("salvaged"))
    let lost = 60_000 - report.savedCount
    #expect(lost == report.lostCount)
    // The buckets take a part of the file, so more than a fifth of the records is damaged.
    #expect((60_000 / 6..<60_000 / 3).contains(lost))
    #expect((garbage.count..<garbage.count + 10_000).contains(report.keyspaces[0].unreadableByteCount))
  }

  // MARK: Bad input

  @Test func `a store that cannot be salvaged is a typed error`() throws {
    let path = try makeStore(isKilled: false)
    try FileManager.default.createDirectory(atPath: directory.path("empty"), withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: directory.path("file")))
    expectCode(.notFound, from: directory.path("nowhere"))
    expectCode(.notAStore, from: directory.path("empty"))
    expectCode(.notAStore, from: directory.path("file"))
    expectCode(.invalidArgument, from: "a\0b")
    let store = try Store(.directory(path), classes: Self.classes)
    expectCode(.inUse, from: path)
    try store.close()
    expectCode(.invalidArgument, from: path, to: directory.path("empty"))
    var superblock = [UInt8](try Data(contentsOf: URL(filePath: path + "/superblock")))
    superblock[8] = 255
    superblock[4096 + 8] = 255
    try Data(superblock).write(to: URL(filePath: path + "/superblock"))
    expectCode(.newerFormat, from: path)
    #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged")))
    #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged.partial")))
  }

  @Test func `an abandoned salvage leaves nothing`() throws {
    struct GaveUp: Error {}
    let path = try makeStore(isKilled: false)
    #expect(throws: GaveUp.self) {
      try Store.salvage(from: path, to: directory.path("salvaged")) { _ in throw GaveUp() }
    }
    #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged")))
    #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged.partial")))
    try expectWhole(path)
  }

  private func expectCode(_ code: BackendError.Code, from path: String, to newPath: String? = nil) {
    #expect {
      _ = try Store.salvage(from: path, to: newPath ?? directory.path("salvaged"))
    } throws: {
      ($0 as? StoreError)?.backendError?.code == code
    }
  }

  // MARK: The store

  /// Makes a store; if the process was killed, its last saves are only in the log.
  ///
  /// One class stays empty, so that its number is missing in reports.
  private func makeStore(isKilled: Bool) throws -> String {
    let path = directory.path("store")
    var store = try Store(.directory(path), classes: Self.classes)
    let playlist = Playlist()
    var songs: [Song] = []
    for index in 0..<Self.songCount - 500 {
      let song = Self.song(index)
      songs.append(song)
      try store.insert(song)
    }
    playlist.title = "all"
    playlist.songs = songs
    try store.insert(playlist)
    try store.saveChanges()
    _ = try store.backend.keyspaceID(of: .rows, named: Array("gone".utf8))
    try store.writeNamedBuffer("settings") { $0.writeString("loud") }
    try store.writeNamedBuffer("empty") { _ in }
    try store.saveChanges()
    try store.close()
    store = try Store(.directory(path), classes: Self.classes)
    for index in Self.songCount - 500..<Self.songCount { try store.insert(Self.song(index)) }
    try store.saveChanges()
    let node = Node()
    try store.insert(node)
    node.next = node
    try store.saveChanges()
    guard isKilled else {
      try store.close()
      return path
    }
    let killed = directory.path("killed")
    try FileManager.default.copyItem(atPath: path, toPath: killed)
    try store.close()
    return killed
  }

  private static func song(_ index: Int) -> Song {
    // Some rows are too long for a pack.
    let title = index % 400 == 399 ? String(repeating: "long \(index) ", count: 800) : "song \(index)"
    return Song(title, seconds: UInt32(index))
  }

  private func expectWhole(_ path: String, renamed: Bool = false) throws {
    let store = try Store(.directory(path), classes: Self.classes)
    defer { #expect(throws: Never.self) { try store.close() } }
    let songs = try store.fetch(Song.self)
    #expect(songs.count == Self.songCount)
    for (index, song) in songs.enumerated() where song.title != Self.song(index).title || song.seconds != UInt32(index)
    {
      Issue.record("song \(index) has other content")
      break
    }
    let playlist = try #require(try store.fetch(Playlist.self).first)
    #expect(playlist.songs.map(\.id) == songs.prefix(Self.songCount - 500).map(\.id))
    let node = try #require(try store.fetch(Node.self).first)
    #expect(node.next === node)
    // A keyspace that is named after its file lacks the space in its name.
    guard !renamed else { return }
    let settings = try store.readNamedBuffer("settings") { try $0.readString() }
    #expect(settings == "loud")
  }

  /// Expects that every record of the salvaged store was in the original.
  private func expectNothingFalse(_ path: String, _ rowIDs: [UInt32: RowID], _ circumstance: String) throws {
    let store = try Store(.directory(path), classes: Self.classes)
    defer { #expect(throws: Never.self) { try store.close() } }
    for song in try store.fetch(Song.self) {
      let expected = Self.song(Int(song.seconds))
      guard song.title == expected.title, song.id?.rowID == rowIDs[song.seconds] else {
        Issue.record("\(circumstance): song \(song.seconds) has other content")
        break
      }
    }
    for playlist in try store.fetch(Playlist.self) { #expect(playlist.songs.count == Self.songCount - 500) }
  }

  private func rowIDsOfSongs(in path: String) throws -> [UInt32: RowID] {
    let copy = directory.path("sound")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let store = try Store(.directory(copy), classes: Self.classes)
    defer { #expect(throws: Never.self) { try store.close() } }
    var rowIDs: [UInt32: RowID] = [:]
    for song in try store.fetch(Song.self) { rowIDs[song.seconds] = song.id?.rowID }
    return rowIDs
  }

  private func overwrite(_ file: String, at offset: UInt64, with bytes: [UInt8]) throws {
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }
}
