import Foundation
import TestSupport
import Testing
import Todana

@Suite struct CompactTests {
  private let directory: TemporaryDirectory
  private var location: StoreLocation { .directory(directory.path("store")) }

  init() throws { directory = try TemporaryDirectory() }

  // With `compactionRoom` 0, files are compacted in place.
  private func makeStore(songs: Int, compactionRoom: Int = 64 << 20) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.tuning.compactionRoomByteCount = compactionRoom
    let store = try Store(location, classes: [Song.self, Playlist.self], configuration: configuration)
    for index in 0..<songs { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    return store
  }

  @Test(arguments: [0, 64 << 20])
  func `compacting shrinks a store, and objects in memory stay`(compactionRoom: Int) throws {
    let store = try makeStore(songs: 2000, compactionRoom: compactionRoom)
    let songs = try store.fetch(Song.self)
    for song in songs where song.seconds % 20 != 0 { try store.delete(song) }
    try store.saveChanges()
    let kept = try #require(songs.first { $0.seconds == 1000 })
    try store.update(kept) { $0.title = "changed, not saved" }
    var fractions: [Double] = []
    let compacted = try store.compact { progress in
      if progress.className == "Song" { fractions.append(progress.fractionCompleted) }
      return true
    }
    #expect(compacted == ["Song"])
    #expect(fractions == fractions.sorted() && fractions.allSatisfy { (0...1).contains($0) } && !fractions.isEmpty)
    #expect(try store.compact() == [])
    #expect(kept.title == "changed, not saved" && store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try store.verify().isSound)
    try store.close()
    let other = try Store(location, classes: [Song.self, Playlist.self])
    #expect(try other.fetch(Song.self).map(\.seconds) == stride(from: 0, to: 2000, by: 20).map { UInt32($0) })
    #expect(try other.fetch(Song.self)[50].title == "changed, not saved")
  }

  @Test(arguments: [0, 64 << 20])
  func `a process killed right after a compaction leaves a store that verifies, also read-only`(
    compactionRoom: Int
  ) throws {
    let store = try makeStore(songs: 5000, compactionRoom: compactionRoom)
    try store.delete(try store.fetch(Song.self).filter { $0.seconds % 10 != 0 })
    try store.saveChanges()
    try (store.backend as? KyotoBackend)?.checkpoint()
    #expect(try store.compact() == ["Song"])
    try store.insert(Song("after", seconds: 5000))
    try store.saveChanges()
    let killed = directory.path("killed")
    try FileManager.default.copyItem(atPath: directory.path("store"), toPath: killed)
    try store.close()
    for access in [KyotoBackend.Access.read, .write] {
      var configuration = StoreConfiguration()
      configuration.access = access
      let left = try Store(.directory(killed), classes: [Song.self, Playlist.self], configuration: configuration)
      let report = try left.verify()
      #expect(report.isSound, "\(report.problems)")
      #expect(try left.count(Song.self) == 501)
      try left.close()
    }
  }

  /// Guards against counting space that was free before the session as used, which delayed compaction until another
  /// quarter of the file was free.
  @Test(arguments: [false, true])
  func `space that was free when a process ended is given back by the next process`(_ isKilled: Bool) throws {
    var path = directory.path("store")
    var store = try makeStore(songs: 40_000)
    try (store.backend as? KyotoBackend)?.checkpoint()
    // Delete too little for a compaction in the background.
    try store.delete(try store.fetch(Song.self).filter { $0.seconds < 6000 })
    try store.saveChanges()
    if isKilled { try FileManager.default.copyItem(atPath: path, toPath: directory.path("left")) }
    try store.close()
    if isKilled { path = directory.path("left") }
    store = try Store(.directory(path), classes: [Song.self, Playlist.self])
    let backend = try #require(store.backend as? KyotoBackend)
    #expect(try #require(try store.spaceUse().first).fragmentation > 0.1)
    // Delete enough for a compaction, counting the space that was already free.
    try store.delete(try store.fetch(Song.self).filter { $0.seconds < 12_000 })
    try store.saveChanges()
    var lookCount = 0
    while try backend.statistics().compactionCount == 0, lookCount < 2000 {
      usleep(10_000)
      lookCount += 1
    }
    #expect(try #require(try store.spaceUse().first).fragmentation < 0.05)
    #expect(try store.count(Song.self) == 28_000)
    try store.close()
  }

  @Test func `space use estimates the size after compacting`() throws {
    let store = try makeStore(songs: 5000)
    try store.writeNamedBuffer("settings") { $0.writeString("loud") }
    try store.saveChanges()
    let playlists = try store.fetch(Playlist.self)
    #expect(playlists.isEmpty)
    let fresh = try #require(try store.spaceUse().first { $0.className == "Song" })
    #expect(fresh.fragmentation < 0.05)
    try store.delete(try store.fetch(Song.self).filter { $0.seconds % 10 != 0 })
    try store.saveChanges()
    let wasteful = try #require(try store.spaceUse().first { $0.className == "Song" })
    #expect(wasteful.fileByteCount == fresh.fileByteCount && wasteful.fragmentation > 0.5)
    #expect(try store.compact() == ["Song"])
    let uses = try store.spaceUse()
    #expect(uses.map(\.className) == ["Song", nil])
    #expect(uses[0].fragmentation < 0.05)
    // The estimate was within a tenth.
    #expect(abs(uses[0].fileByteCount - wasteful.neededByteCount) < uses[0].fileByteCount / 10)
    struct GaveUp: Error {}
    #expect(throws: GaveUp.self) { try store.spaceUse { throw GaveUp() } }
    try (store.backend as? KyotoBackend)?.checkpoint()
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path("store"))
    let song = try #require(files.first { $0.hasSuffix("-Song.kch") })
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("store/" + song))
    #expect(attributes[.size] as? Int == uses[0].fileByteCount)
    try store.close()
    #expect { try store.spaceUse() } throws: { ($0 as? StoreError)?.code == .closed }
  }

  @Test func `a compaction that is ended early leaves everything usable`() throws {
    let store = try makeStore(songs: 2000)
    try store.delete(try store.fetch(Song.self).dropLast(10))
    try store.saveChanges()
    #expect(try store.compact { _ in false } == [])
    #expect(try store.count(Song.self) == 10)
    #expect(try store.compact() == ["Song"])
    #expect(try store.count(Song.self) == 10)
  }

  @Test func `a closed or read-only store refuses to compact`() throws {
    let store = try makeStore(songs: 10)
    try store.close()
    #expect { try store.compact() } throws: { ($0 as? StoreError)?.code == .closed }
    var configuration = StoreConfiguration()
    configuration.access = .read
    let reading = try Store(location, classes: [Song.self], configuration: configuration)
    #expect { try reading.compact() } throws: { ($0 as? StoreError)?.code == .readOnly }
  }

  @Test func `a snapshot from before a compaction keeps its state`() throws {
    let store = try makeStore(songs: 3000)
    try store.withSnapshot {
      let before = try store.fetch(Song.self).count
      let other = try Store(backend: store.backend, classes: [Song.self])
      try other.delete(try other.fetch(Song.self).filter { $0.seconds % 10 != 0 })
      try other.saveChanges()
      try other.compact()
      var titles: Set<String> = []
      try store.forEach(Song.self) { song, _ in titles.insert(song.title) }
      #expect(titles.count == before)
    }
    #expect(try store.count(Song.self) == 300)
  }
}
