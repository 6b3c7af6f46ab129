import Foundation
import TestSupport
import Testing
import Todana

/// Records that were taken away, put back or added by somebody who can write files and has no key.
///
/// What they can have are files that were the store's at some time, whole with their checksums: here those of one that
/// went another way from the same start.
@Suite struct EncryptedContentsTests {
  private static let encryption = StoreEncryption.key([UInt8](repeating: 3, count: 16))
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ name: String) throws -> Store {
    try Store(
      .directory(directory.path(name)), classes: [Song.self, Playlist.self],
      configuration: StoreConfiguration(encryption: Self.encryption))
  }

  /// Makes the store, and lets `change` happen to a copy of it, or to itself.
  private func makeTwo(_ change: (Store) throws -> Void, inCopy: Bool) throws {
    let store = try open("Store")
    for index in 0..<300 { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    try store.insert(Playlist())
    try store.writeNamedBuffer("buffer") { $0.writeUInt8(1) }
    try store.saveChanges()
    try store.close()
    try FileManager.default.copyItem(atPath: directory.path("Store"), toPath: directory.path("Copy"))
    let changed = try open(inCopy ? "Copy" : "Store")
    try change(changed)
    try changed.close()
  }

  /// Puts files of the copy into the store.
  private func replace(_ isWanted: (String) -> Bool) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path("Copy")) where isWanted(name) {
      let file = directory.path("Store/\(name)")
      if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
      try FileManager.default.copyItem(atPath: directory.path("Copy/\(name)"), toPath: file)
    }
  }

  enum Tampering: CaseIterable {
    case removed, added, replayed, removedOne, replayedOne

    func apply(to store: Store) throws {
      let songs = try store.fetch(Song.self)
      switch self {
      case .removed: try store.delete(Array(songs.prefix(100)))
      case .removedOne: try store.delete(songs[7])
      case .added: for index in 0..<3 { try store.insert(Song("more", seconds: UInt32(index))) }
      case .replayed: for song in songs { try store.update(song) { $0.title = "other" } }
      case .replayedOne: try store.update(songs[7]) { $0.title = "other" }
      }
      try store.saveChanges()
    }
  }

  @Test(arguments: Tampering.allCases, [false, true])
  func `records that were not saved last are found by whoever reads all`(
    _ tampering: Tampering, isOlder: Bool
  ) throws {
    // Either the copy went on, and its file comes into the store that stood still, or the other way round.
    try makeTwo(tampering.apply, inCopy: !isOlder)
    try replace { $0.hasPrefix("0002.kch") }
    let store = try open("Store")
    var seen = 0
    let error = #expect(throws: StoreError.self) { try store.forEach(Song.self) { _, _ in seen += 1 } }
    #expect(error?.code == .contentsDoNotMatchDigest)
    #expect(error?.className == "Song")
    #expect(seen >= 200, "healthy rows come before the error")
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    var reported: [StoreError.Code] = []
    let songs = try store.fetch(Song.self, onDamage: .report { reported.append($0.code) })
    #expect(songs.count >= 200)
    #expect(reported == [.contentsDoNotMatchDigest])
    let report = try store.verify()
    #expect(!report.isSound)
    #expect(report.problems.contains { $0.kind == .wrongContents && $0.className == "Song" })
    #expect(try store.fetch(Playlist.self).count == 1)
    // Reading and writing go on, and what is written does not make it right.
    try store.insert(Song("new"))
    try store.saveChanges()
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    try store.close()
  }

  @Test func `an older catalog does not make older records right`() throws {
    try makeTwo(Tampering.replayedOne.apply, inCopy: false)
    try replace { $0.hasPrefix("0001-catalog.kch") }
    let store = try open("Store")
    let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(error?.code == .contentsDoNotMatchDigest)
    try store.close()
  }

  @Test func `whatever is done through the store keeps its contents known`() async throws {
    var random = SeededGenerator(seed: 11)
    var store = try open("Store")
    for round in 0..<12 {
      var songs = try store.fetch(Song.self)
      for index in 0..<Int.random(in: 1...600, using: &random) { try store.insert(Song("new \(round) \(index)")) }
      for song in songs.prefix(Int.random(in: 0...100, using: &random)) { try store.delete(song) }
      for song in songs.suffix(50) {
        let length = Int.random(in: 0...300, using: &random)
        try store.update(song) { $0.title = String(repeating: "x", count: length) }
      }
      try store.writeNamedBuffer("buffer \(round % 4)") { $0.writeUInt64(UInt64(round)) }
      if round % 3 == 1 { try store.removeNamedBuffer("buffer \((round + 1) % 4)") }
      try store.saveChanges()
      switch round % 4 {
      case 0: try store.backend.checkpoint()
      case 1: try store.compact()
      case 2:
        try store.close()
        store = try open("Store")
      default: break
      }
      songs = try store.fetch(Song.self)
      #expect(try await store.all(Song.self).count == songs.count)
      #expect(try store.verify().isSound, "round \(round)")
    }
    // A snapshot's contents are those of its own commit.
    try store.withSnapshot {
      let other = try Store(backend: store.backend, classes: [Song.self])
      try other.delete(try other.fetch(Song.self))
      try other.saveChanges()
      #expect(try store.fetch(Song.self).count > 0)
      #expect(try other.fetch(Song.self).isEmpty)
    }
    try store.close()
  }
}
