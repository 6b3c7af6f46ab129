import Foundation
import TestSupport
import Testing
import Todana

/// Records removed, put back or added by an attacker who can write files, or by a mistake with a backup.
///
/// The files used here were valid at some time, including their checksums: they are those of a copy that was changed
/// separately.
@Suite struct ContentsTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ name: String, _ isEncrypted: Bool, expecting anchor: StoreAnchor? = nil) throws -> Store {
    let encryption = isEncrypted ? StoreEncryption.key([UInt8](repeating: 3, count: 16)) : .none
    return try Store(
      .directory(directory.path(name)), classes: [Song.self, Playlist.self],
      configuration: StoreConfiguration(encryption: encryption), expecting: anchor)
  }

  private func copy(_ name: String, to copy: String) throws {
    if FileManager.default.fileExists(atPath: directory.path(copy)) {
      try FileManager.default.removeItem(atPath: directory.path(copy))
    }
    try FileManager.default.copyItem(atPath: directory.path(name), toPath: directory.path(copy))
  }

  /// Makes the store and a copy of it, and applies `change` to one of them.
  private func makeTwo(_ isEncrypted: Bool, _ change: (Store) throws -> Void, inCopy: Bool) throws {
    let store = try open("Store", isEncrypted)
    for index in 0..<300 { try store.insert(Song("song \(index)", seconds: UInt32(index))) }
    try store.saveChanges()
    try store.insert(Playlist())
    try store.writeNamedBuffer("buffer") { $0.writeUInt8(1) }
    try store.saveChanges()
    try store.close()
    try copy("Store", to: "Copy")
    let changed = try open(inCopy ? "Copy" : "Store", isEncrypted)
    try change(changed)
    try changed.close()
  }

  /// Replaces files of the store by those of the copy.
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

  struct Case: CustomTestStringConvertible {
    let tampering: Tampering
    let isOlder: Bool
    let isEncrypted: Bool

    var testDescription: String { "\(tampering), \(isOlder ? "older" : "newer"), \(isEncrypted ? "sealed" : "plain")" }

    static let all = Tampering.allCases.flatMap { tampering in
      [false, true].flatMap { isOlder in
        [false, true].map { Case(tampering: tampering, isOlder: isOlder, isEncrypted: $0) }
      }
    }
  }

  @Test(arguments: [("0002", false), ("0002", true), ("commits", false), ("commits", true)])
  func `encrypting or rotating keys refuses tampered contents until they are accepted`(
    _ replaced: String, isEncrypted: Bool
  ) throws {
    try makeTwo(isEncrypted, Tampering.replayedOne.apply, inCopy: true)
    try replace { $0.hasPrefix(replaced) }
    let store = try open("Store", isEncrypted)
    let key = StoreSecret.key([UInt8](repeating: 5, count: 16))
    for round in 0..<2 {
      let error = #expect(throws: (any Error).self) {
        if try store.unfinishedMigration() != nil {
          try store.resumeMigration()
        } else if isEncrypted {
          try store.keys.rotate(keeping: [key])
        } else {
          try store.encrypt(with: key)
        }
      }
      let code = (error as? StoreError)?.code
      #expect(
        code == .contentsDoNotMatchDigest || (error as? BackendError)?.code == .contentsDoNotMatchDigest,
        "round \(round): \(String(describing: error))")
    }
    #expect(#expect(throws: StoreError.self) { try store.fetch(Song.self) }?.code == .contentsDoNotMatchDigest)
    #expect(try store.acceptContents())
    if try store.unfinishedMigration() != nil {
      #expect(try store.resumeMigration())
    } else if isEncrypted {
      #expect(try store.keys.rotate(keeping: [key]) { _ in true }.isFinished)
    } else {
      #expect(try store.encrypt(with: key))
    }
    #expect(try store.fetch(Song.self).count == 300)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test(arguments: Case.all)
  func `records other than the last saved ones are found by a complete scan, until they are accepted`(
    _ test: Case
  ) throws {
    // Put the file of a changed copy into the unchanged store, or the file of an unchanged copy into the changed store.
    try makeTwo(test.isEncrypted, test.tampering.apply, inCopy: !test.isOlder)
    try replace { $0.hasPrefix("0002") }
    var store = try open("Store", test.isEncrypted)
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
    // Reading and writing still work, and a save does not hide the problem.
    try store.insert(Song("new"))
    try store.saveChanges()
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    try store.close()
    store = try open("Store", test.isEncrypted)
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(try !store.acceptContents { $0.doneCount < 100 }, "an abandoned acceptance accepts nothing")
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(try store.acceptContents())
    #expect(try store.fetch(Song.self).count == songs.count + 1)
    #expect(try store.verify().isSound)
    try store.close()
    store = try open("Store", test.isEncrypted)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `changes that are saved while contents are accepted are kept`(isEncrypted: Bool) throws {
    try makeTwo(isEncrypted, Tampering.removed.apply, inCopy: true)
    try replace { $0.hasPrefix("0002") }
    let store = try open("Store", isEncrypted)
    let other = try Store(backend: store.backend, classes: [Song.self, Playlist.self])
    var steps = 0
    #expect(
      try store.acceptContents { _ in
        steps += 1
        do {
          let songs = try other.fetch(Song.self, onDamage: .report { _ in })
          try other.delete(songs[steps])
          try other.update(songs[steps + 1]) { $0.title = "changed meanwhile" }
          for index in 0..<5 { try other.insert(Song("new \(steps) \(index)")) }
          try other.writeNamedBuffer("buffer") { $0.writeInt(steps) }
          try other.saveChanges()
        } catch {
          Issue.record(error)
        }
        return true
      })
    #expect(steps > 3)
    #expect(try other.fetch(Song.self).count == 200 + 4 * steps)
    #expect(try store.verify().isSound)
    try store.close()
    try other.close()
    let again = try open("Store", isEncrypted)
    #expect(try again.verify().isSound)
    try again.close()
  }

  /// The prefixes of the files that are replaced by older ones.
  static let olderParts = [
    ["0000-states.tds"], ["0001-catalog.kch"], ["0000", "0001"], ["0000", "0002"], ["commits"],
  ]

  @Test(arguments: olderParts, [false, true])
  func `files of different states are distinguished from files of one state`(
    _ older: [String], isEncrypted: Bool
  ) throws {
    // The new class changes the catalog.
    try makeTwo(
      isEncrypted,
      { store in
        try Tampering.replayedOne.apply(to: store)
        for _ in 0..<3 { try store.compact() }
        try store.writeNamedBuffer("another") { $0.writeUInt8(2) }
        try store.saveChanges()
        try store.close()
        let other = try Store(
          .directory(directory.path("Store")), classes: [Node.self], configuration: store.configuration)
        try other.insert(Node())
        try other.saveChanges()
        try other.close()
      }, inCopy: false)
    let anchored = try open("Store", isEncrypted)
    let anchor = try #require(try anchored.anchor())
    try anchored.close()
    try copy("Store", to: "Newest")
    try replace { name in older.contains { name.hasPrefix($0) } }
    // Opening throws an error if the older digests or catalog do not match the other files at all.
    do {
      let store = try open("Store", isEncrypted)
      let error = #expect(throws: StoreError.self) { try store.fetch(Song.self) }
      #expect(error?.code == .contentsDoNotMatchDigest || error?.code == .damagedRecord)
      #expect(try !store.verify().isSound)
      try store.close()
    } catch let error as StoreError {
      #expect(error.code == .damagedRecord)
    }
    let error = #expect(throws: StoreError.self) { try open("Store", isEncrypted, expecting: anchor) }
    #expect([.rolledBack, .diverged, .damagedRecord].contains(error?.code))
    // The newest files are valid.
    try open("Newest", isEncrypted, expecting: anchor).close()
  }

  @Test(arguments: [false, true])
  func `an anchor recognizes an older copy and a diverged one`(isEncrypted: Bool) async throws {
    var store = try open("Store", isEncrypted)
    let first = try #require(try store.anchor())
    #expect(first.commitNumber == 0)
    #expect(try store.acceptContents(), "an empty store is accepted")
    #expect(try store.anchor() == first)
    var anchors = [first]
    for index in 0..<5 {
      try store.insert(Song("song \(index)"))
      try store.saveChanges(durability: index % 2 == 0 ? .full : .relaxed)
      anchors.append(try #require(try store.anchor()))
    }
    #expect(Set(anchors).count == anchors.count)
    try store.close()
    try copy("Store", to: "Older")
    try copy("Store", to: "Fork")

    store = try open("Store", isEncrypted, expecting: anchors[5])
    try store.insert(Song("one more"))
    try store.saveChanges()
    let newest = try #require(try store.anchor())
    try store.close()
    for anchor in anchors + [newest] { try open("Store", isEncrypted, expecting: anchor).close() }

    let older = #expect(throws: StoreError.self) { try open("Older", isEncrypted, expecting: newest) }
    #expect(older?.code == .rolledBack)
    let configuration = store.configuration
    let path = directory.path("Older")
    let same = await #expect(throws: StoreError.self) {
      _ = try await Store.open(
        .directory(path), classes: [Song.self], configuration: configuration, expecting: newest)
    }
    #expect(same?.code == .rolledBack)
    #expect(throws: StoreError.self) {
      try StoreActor(.directory(path), classes: [Song.self], configuration: configuration, expecting: newest)
    }
    store = try open("Fork", isEncrypted, expecting: anchors[5])
    for index in 0..<3 {
      try store.insert(Song("other \(index)"))
      try store.saveChanges()
    }
    try store.close()
    let fork = #expect(throws: StoreError.self) { try open("Fork", isEncrypted, expecting: newest) }
    #expect(fork?.code == .diverged)
    try open("Fork", isEncrypted, expecting: anchors[3]).close()

    // A log that an attacker cut after a commit, with an older copy of it.
    store = try open("Store", isEncrypted)
    try store.insert(Song("in the log"))
    try store.saveChanges()
    try copy("Store", to: "Cut")
    try store.insert(Song("in the log, too"))
    try store.saveChanges()
    let last = try #require(try store.anchor())
    try FileManager.default.removeItem(atPath: directory.path("Cut/lock"))
    let cut = #expect(throws: StoreError.self) { try open("Cut", isEncrypted, expecting: last) }
    #expect(cut?.code == .rolledBack)
    try store.close()
    // The refused opening has not changed the store.
    try open("Cut", isEncrypted, expecting: newest).close()
  }

  @Test func `an anchor with another digest is refused, and malformed texts are no anchors`() throws {
    let store = try open("Store", true)
    try store.insert(Song())
    try store.saveChanges()
    let anchor = try #require(try store.anchor())
    try store.close()
    let text = anchor.description
    #expect(StoreAnchor(text) == anchor)
    let encoded = try JSONEncoder().encode([anchor])
    #expect(try JSONDecoder().decode([StoreAnchor].self, from: encoded) == [anchor])
    for wrong in ["", "-", "1", "1-", "1-00", "x-\(text.suffix(32))", "+\(text)", "\(text)0", "\(text.dropLast())é"] {
      #expect(StoreAnchor(wrong) == nil, "\(wrong)")
    }
    let last: Character = text.last == "0" ? "1" : "0"
    let other = try #require(StoreAnchor(String(text.dropLast()) + String(last)))
    let error = #expect(throws: StoreError.self) { try open("Store", true, expecting: other) }
    #expect(error?.code == .diverged)
  }

  @Test(arguments: [false, true])
  func `all changes through the store keep its digests valid`(isEncrypted: Bool) async throws {
    var random = SeededGenerator(seed: 11)
    var store = try open("Store", isEncrypted)
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
      case 0: try store.backend.operations?.checkpoint()
      case 1: try store.compact()
      case 2:
        try store.close()
        store = try open("Store", isEncrypted)
      default: break
      }
      songs = try store.fetch(Song.self)
      #expect(try await store.all(Song.self).count == songs.count)
      #expect(try store.verify().isSound, "round \(round)")
    }
    // A snapshot is checked with the digest of its own commit.
    try store.withSnapshot {
      let other = try Store(backend: store.backend, classes: [Song.self])
      try other.delete(try other.fetch(Song.self))
      try other.saveChanges()
      #expect(try store.fetch(Song.self).count > 0)
      #expect(try other.fetch(Song.self).isEmpty)
    }
    try store.close()
  }

  @Test func `an anchor is accepted only while its commit is remembered`() throws {
    let store = try open("Store", false)
    var anchors: [StoreAnchor] = []
    for number in 0..<2100 {
      try store.writeNamedBuffer("buffer \(number % 7)") { $0.writeInt(number) }
      try store.saveChanges(durability: .relaxed)
      if number % 500 == 499 { try store.backend.operations?.checkpoint() }
      if number >= 1090 && number < 1110 { anchors.append(try #require(try store.anchor())) }
    }
    let newest = try #require(try store.anchor()).commitNumber
    try store.close()
    var accepted = 0
    for anchor in anchors {
      let age = newest - anchor.commitNumber
      do {
        try open("Store", false, expecting: anchor).close()
        accepted += 1
        #expect(age < 1000)
      } catch let error as StoreError {
        // Closing may have added a commit.
        #expect(age >= 998)
        #expect(error.code == .diverged)
      }
    }
    #expect(accepted > 0 && accepted < anchors.count)
  }
}
