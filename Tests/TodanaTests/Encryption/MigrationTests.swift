import Foundation
import TestSupport
import Testing
import Todana

/// Migrations: new keys for a whole store, encrypting a plain store and decrypting an encrypted one.
///
/// The tests check the records that are kept, the operations that work during a migration, and the files that remain.
@Suite struct MigrationTests {
  let directory: TemporaryDirectory
  private var path: String { directory.path("Moving.todana") }
  private static let classes: [StoredObject.Type] = [Song.self, Playlist.self, Node.self]
  private static let first = StoreSecret.passphrase("correct horse")
  private static let second = StoreSecret.key([UInt8](repeating: 0xA5, count: 32))

  enum Way: CaseIterable, CustomTestStringConvertible {
    case rotating, encrypting, decrypting

    var startsEncrypted: Bool { self != .encrypting }
    var endsEncrypted: Bool { self != .decrypting }
    var testDescription: String { "\(self)" }
  }

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ secret: StoreSecret?, resuming: Bool = false) throws -> Store {
    var configuration = StoreConfiguration(encryption: .none)
    if let secret { configuration.encryption = .callback { secret } }
    configuration.passphraseCost = 10
    configuration.resumingMigration = resuming
    return try Store(.directory(path), classes: Self.classes, configuration: configuration)
  }

  private func openBefore(_ way: Way) throws -> Store { try open(way.startsEncrypted ? Self.first : nil) }
  private func openAfter(_ way: Way) throws -> Store {
    try open(way.endsEncrypted ? (way == .rotating ? Self.second : Self.first) : nil)
  }

  private func openUnfinished(_ way: Way) throws -> Store {
    switch way {
    case .rotating: try open(Self.second)
    case .encrypting, .decrypting: try open(Self.first, resuming: true)
    }
  }

  @discardableResult
  private func migrate(
    _ store: Store, _ way: Way, progress: (MigrationProgress) -> Bool = { _ in true }
  ) throws -> Bool {
    switch way {
    case .rotating: try store.keys.rotate(keeping: [Self.second], progress: progress).isFinished
    case .encrypting: try store.encrypt(with: Self.first, progress: progress)
    case .decrypting: try store.decrypt(progress: progress)
    }
  }

  private func fill(_ store: Store, songCount: Int = 500) throws {
    let songs = (0..<songCount).map { Song("Blue in Green \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    let playlist = Playlist()
    playlist.title = "Late at Night"
    playlist.songs = Array(songs.prefix(20))
    try store.insert(playlist)
    for number in 0..<50 {
      try store.writeNamedBuffer("favourites \(number)") { $0.writeReferences(songs.suffix(3)) }
    }
    try store.saveChanges()
    let tree = try store.backend.keyspaceID(of: .tree, named: Array("Song.seconds".utf8))
    for start in stride(from: 0, to: 3000, by: 500) {
      try store.backend.commit { batch in
        for number in start..<start + 500 { batch.put([1, 2, 3], key: Array("entry \(number)".utf8), in: tree) }
      }
    }
  }

  private func check(_ store: Store, songCount: Int = 500) throws {
    #expect(try store.fetch(Song.self).map(\.title) == (0..<songCount).map { "Blue in Green \($0)" })
    #expect(try store.fetch(Playlist.self).map(\.songs.count) == [20])
    #expect(try Set(store.namedBufferNames()) == Set((0..<50).map { "favourites \($0)" }))
    #expect(try store.readNamedBuffer("favourites 7") { try $0.readReferences(Song.self).count } == 3)
    let tree = try #require(try store.backend.keyspaces().first { $0.kind == .tree })
    #expect(try store.backend.count(of: tree.id) == 3000)
    let keys = try store.backend.snapshot().scan(tree: tree.id, from: nil, to: nil, descending: false).remainingKeys()
    #expect(Set(keys.map(\.key)) == Set((0..<3000).map { Array("entry \($0)".utf8) }))
    let report = try store.verify()
    #expect(report.isSound, "\(report)")
  }

  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      files[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
    }
    return files
  }

  private static let words = ["Blue in Green", "Late at", "favourites", "Song", "Playlist", "entry ", "named buffers"]

  private func expectNothing(of needles: [Data]) throws {
    for (name, content) in try files() {
      for needle in needles {
        #expect(content.range(of: needle) == nil, "\(name) has \(String(decoding: needle, as: UTF8.self))")
      }
      for word in Self.words { #expect(!name.contains(word)) }
    }
  }

  @Test(arguments: Way.allCases) func `everything is there after a migration, and can be changed`(_ way: Way) throws {
    var store = try openBefore(way)
    try fill(store)
    let anchor = try #require(try store.anchor())
    #expect(try store.unfinishedMigration() == nil)
    #expect(try migrate(store, way))
    #expect(try store.unfinishedMigration() == nil)
    try check(store)
    // Objects that were loaded before the migration still match the stored ones.
    let song = try #require(try store.fetch(Song.self).first)
    try store.update(song) { $0.title = "So What" }
    try store.insert(Song("Freddie Freeloader", seconds: 1))
    try store.writeNamedBuffer("favourites 7") { $0.writeUInt8(1) }
    try store.removeNamedBuffer("favourites 8")
    try store.insert(Node())
    try store.saveChanges()
    try store.update(song) { $0.title = "Blue in Green 0" }
    try store.writeNamedBuffer("favourites 7") { $0.writeReferences([song, song, song]) }
    try store.writeNamedBuffer("favourites 8") { $0.writeReferences([song, song, song]) }
    try store.delete(try #require(try store.fetch(Song.self).last))
    try store.saveChanges()
    try check(store)
    try store.close()
    if way.startsEncrypted { #expect(throws: StoreError.self) { try open(Self.first) } }
    store = try openAfter(way)
    try check(store)
    try store.close()
    var configuration = StoreConfiguration(encryption: .none)
    if way.endsEncrypted {
      configuration.encryption = .callback { way == .rotating ? Self.second : Self.first }
    }
    // The anchor from before the migration is still valid.
    store = try Store(.directory(path), classes: Self.classes, configuration: configuration, expecting: anchor)
    #expect(try store.anchor()?.commitNumber ?? 0 > anchor.commitNumber)
    try store.close()
  }

  @Test(arguments: Way.allCases) func `a migration can be stopped at any step and resumed`(_ way: Way) throws {
    for stepCount in [0, 1, 2, 3, 5, 8, 12, 17, 23, 30, 40] {
      var store = try openBefore(way)
      try fill(store)
      var steps = 0
      let isFinished = try migrate(store, way) { _ in
        steps += 1
        return steps <= stepCount
      }
      if isFinished {
        try store.close()
      } else {
        #expect(try store.unfinishedMigration() != nil)
        try check(store)
        try store.close()
        if way != .rotating {
          #expect(#expect(throws: StoreError.self) { try open(Self.first) }?.code == .migrationUnfinished)
          #expect(#expect(throws: StoreError.self) { try open(nil) }?.code == .keyRequired)
        }
        store = try openUnfinished(way)
        try check(store)
        let song = try #require(try store.fetch(Song.self).first)
        try store.update(song) { $0.title = "So What" }
        try store.writeNamedBuffer("favourites 3") { $0.writeReferences([song]) }
        try store.saveChanges()
        try store.update(song) { $0.title = "Blue in Green 0" }
        try store.saveChanges()
        #expect(try store.resumeMigration())
        try check(store)
        try store.close()
      }
      store = try openAfter(way)
      try check(store)
      try store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(arguments: Way.allCases) func `stores keep working during a migration`(_ way: Way) throws {
    let store = try openBefore(way)
    try fill(store, songCount: 3000)
    let other = try Store(backend: store.backend, classes: Self.classes)
    let loaded = try other.fetch(Song.self)
    let stale = try #require(try other.fetch(Playlist.self).first)
    let snapshot = try store.backend.snapshot()
    var round = 0
    var added: [Song] = []
    try migrate(store, way) { _ in
      round += 1
      // Make all kinds of changes between the steps of the migration.
      do {
        let song = Song("Added \(round)", seconds: UInt32(round))
        try other.insert(song)
        added.append(song)
        try other.update(loaded[round * 7 % loaded.count]) { $0.genre = "round \(round)" }
        if round % 3 == 0 { try other.delete(added.removeFirst()) }
        try other.writeNamedBuffer("round \(round % 10)") { $0.writeInt(round) }
        if round % 4 == 0 { try other.removeNamedBuffer("round \(round % 10 == 0 ? 10 : round % 10 - 1)") }
        try other.saveChanges()
        if round % 10 == 0 { #expect(try other.fetch(Song.self).count == 3000 + added.count) }
        _ = try other.readNamedBuffer("favourites 3") { try $0.readReferences(Song.self).count }
      } catch {
        Issue.record("round \(round): \(error)")
        return false
      }
      return true
    }
    #expect(round > 5)
    try other.update(stale) { $0.title = "Early" }
    for song in added { try other.update(song) { $0.seconds += 1 } }
    try other.saveChanges()
    // A snapshot that was opened before the migration still shows the old state.
    let keyspaces = try store.backend.keyspaces()
    let songs = try #require(keyspaces.first { $0.name == Array("Song".utf8) })
    #expect(try snapshot.count(of: songs.id) == 3000)
    #expect(try snapshot.scan(songs.id).remainingRows().count == 3000)
    try other.refresh()
    #expect(try other.fetch(Song.self).count == 3000 + added.count)
    #expect(try store.verify().isSound)
    try other.close()
    try store.close()
    let reopened = try openAfter(way)
    #expect(try reopened.fetch(Song.self).filter { $0.genre != nil }.count == min(round, 3000))
    #expect(try reopened.readNamedBuffer("round \(round % 10)") { try $0.readInt() } == round)
    #expect(try reopened.verify().isSound)
    try reopened.close()
  }

  @Test(arguments: Way.allCases) func `a migration can also be resumed in a backup made during it`(_ way: Way) throws {
    let original = try openBefore(way)
    try fill(original)
    var steps = 0
    var copies: [String] = []
    try migrate(original, way) { _ in
      steps += 1
      guard steps % 4 == 3 else { return true }
      do {
        let copy = directory.path("copy \(steps)")
        try original.backUp(to: copy)
        copies.append(copy)
      } catch {
        Issue.record(error)
      }
      return true
    }
    try original.close()
    #expect(copies.count > 2)
    for copy in copies {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: copy, toPath: path)
      var store = try openUnfinished(way)
      try check(store)
      #expect(try store.resumeMigration())
      try check(store)
      try store.close()
      store = try openAfter(way)
      try check(store)
      try store.close()
    }
  }

  @Test func `nothing in clear is left after encrypting`() throws {
    for isInUse in [false, true] {
      let store = try open(nil)
      try fill(store)
      try store.backend.operations?.checkpoint()
      try store.update(try #require(try store.fetch(Song.self).first)) { $0.isrc = "Blue in Green again" }
      try store.saveChanges()
      var round = 0
      try store.encrypt(with: Self.first) { _ in
        guard isInUse else { return true }
        round += 1
        do {
          try store.insert(Song("Blue in Green \(round)", seconds: 1))
          try store.writeNamedBuffer("favourites \(round)") { $0.writeUInt8(1) }
          try store.saveChanges()
        } catch {
          Issue.record(error)
        }
        return true
      }
      let words = Self.words.map { Data($0.utf8) }
      try expectNothing(of: words)
      try store.insert(Song("Blue in Green", seconds: 1))
      try store.saveChanges()
      try expectNothing(of: words)
      try store.close()
      try expectNothing(of: words)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `nothing of the old keys is left after rotating`() throws {
    let store = try open(Self.first)
    try store.keys.add(Self.second)
    try store.keys.add(.recoveryKey(RecoveryKey()))
    try fill(store)
    let before = try store.keys.export()
    let oldSlots = try store.keys.slots()
    // A wrapped key is the last 48 bytes of its entry. The wrapped master key is the 48 bytes before the check of its
    // slot.
    let wrapped = [
      Data(before[(64 + 88)..<(64 + 136)]), Data(before[(before.count - 48)...]),
      Data(before[(before.count - 64 - 48)..<(before.count - 64)]),
    ]
    for needle in wrapped { #expect(try files().values.contains { $0.range(of: needle) != nil }) }
    // Read sealed records as they are in the files before the rotation.
    let songs = try #require(try store.backend.keyspaces().first { $0.name == Array("Song".utf8) })
    let sealed = try store.backend.snapshot().scan(songs.id).remainingRows().values.prefix(20).map { Data($0) }
    try store.backend.operations?.checkpoint()

    let rotation = try store.keys.rotate(keeping: [Self.second, .passphrase("new horse")]) { _ in true }
    #expect(rotation.isFinished)
    #expect(rotation.keptSlots.map(\.kind) == [.key])
    #expect(rotation.removedSlots.map(\.id) == [oldSlots[0].id, oldSlots[2].id])
    #expect(try store.keys.slots().map(\.kind) == [.key, .passphrase])
    try expectNothing(of: wrapped + sealed)
    try check(store)
    try store.close()
    try expectNothing(of: wrapped + sealed)
    #expect(#expect(throws: StoreError.self) { try open(Self.first) }?.code == .wrongKey)
    for secret in [Self.second, .passphrase("new horse")] {
      let store = try open(secret)
      try check(store)
      try store.close()
    }
  }

  @Test func `an old state that was partly encrypted does not let plain records in`() throws {
    // The files that an attacker copied during the encryption.
    var store = try open(nil)
    try fill(store)
    var steps = 0
    try store.encrypt(with: Self.first) { _ in
      steps += 1
      return steps < 8
    }
    try store.close()
    let halfway = try files()
    store = try open(Self.first, resuming: true)
    #expect(try store.resumeMigration())
    try store.close()
    let finished = try files()
    // The files from halfway through the migration are refused, unless the caller resumes it.
    try put(halfway)
    #expect(#expect(throws: StoreError.self) { try open(Self.first) }?.code == .migrationUnfinished)
    // With the old digests and files, but the current keys, plain bytes are not accepted as records.
    var mixed = halfway
    for name in ["keys", "keys-copy"] { mixed[name] = finished[name] }
    try put(mixed)
    do {
      store = try open(Self.first)
      #expect(throws: StoreError.self) { _ = try store.fetch(Song.self).map(\.title) }
      #expect(throws: StoreError.self) { _ = try store.readNamedBuffer("favourites 7") { try $0.readUInt8() } }
      try? store.close()
    } catch {
      #expect(error is StoreError)
    }
  }

  private func put(_ files: [String: Data]) throws {
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, content) in files { try content.write(to: URL(filePath: path + "/" + name)) }
  }

  @Test(arguments: Way.allCases, [nil, 5, 12, 20])
  func `a store can be salvaged after any step of a migration`(_ way: Way, stepCount: Int?) throws {
    var store = try openBefore(way)
    try fill(store)
    var steps = 0
    try migrate(store, way) { _ in
      steps += 1
      return steps < stepCount ?? .max
    }
    let migration = try store.unfinishedMigration()
    try store.close()
    let isEncrypted = way.endsEncrypted || migration != nil
    let secret = way == .rotating ? Self.second : Self.first
    let encryption: StoreEncryption = isEncrypted ? .callback { secret } : .none
    let salvaged = directory.path("salvaged")
    let report = try Store.salvage(from: path, to: salvaged, encryption: encryption)
    #expect(report.lostCount == 0)
    #expect(report.losses.isEmpty == (migration == nil || way == .rotating), "\(report.losses)")
    #expect(report.savedCount == 500 + 1 + 50 + 3000)
    store = try Store(
      .directory(salvaged), classes: Self.classes, configuration: StoreConfiguration(encryption: encryption))
    try check(store)
    try store.close()
  }

  @Test func `an unreadable record stops a migration, and nothing is lost`() throws {
    let store = try open(Self.first)
    try fill(store)
    let songs = try #require(try store.backend.keyspaces().first { $0.name == Array("Song".utf8) })
    // A sealed record that no key opens.
    try store.backend.commit { batch in
      batch.put([3, 1] + [UInt8](repeating: 9, count: 60), row: 7, in: songs.id, expecting: .anything)
    }
    let error = #expect(throws: StoreError.self) { try store.keys.rotate(keeping: [Self.second]) }
    #expect(error?.code == .damagedRecord)
    #expect(error?.rowID == 7)
    #expect(error?.backendError?.keyspace == songs.id)
    #expect(try store.unfinishedMigration() == .rotatingKeys)
    try store.backend.commit { batch in batch.remove(row: 7, in: songs.id) }
    #expect(try store.resumeMigration())
    #expect(try store.fetch(Song.self).count == 499)
    try store.close()
    try open(Self.second).close()
  }

  @Test(arguments: [Way.encrypting, .rotating]) func `decrypting ends an unfinished migration`(_ way: Way) throws {
    for stepCount in [0, 4, 12, 20] {
      var store = try openBefore(way)
      try fill(store)
      var steps = 0
      try migrate(store, way) { _ in
        steps += 1
        return steps < stepCount
      }
      if stepCount == 12 {
        try store.close()
        store = try openUnfinished(way)
      }
      #expect(try store.decrypt())
      try check(store)
      try store.close()
      store = try open(nil)
      try check(store)
      try store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `empty stores can be migrated`() throws {
    for isInterrupted in [false, true] {
      for way in [Way.encrypting, .decrypting, .rotating] {
        var store = try openBefore(way)
        if isInterrupted, way != .rotating {
          if way == .encrypting {
            try store.backend.engine.beginEncryption(Self.first)
          } else {
            try store.backend.engine.beginDecryption()
          }
          try store.close()
          store = try openUnfinished(way)
          #expect(try store.resumeMigration())
        } else {
          try migrate(store, way)
        }
        try store.close()
        store = try openAfter(way)
        try fill(store)
        try check(store)
        try store.close()
        store = try openAfter(way)
        try check(store)
        try store.close()
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  @Test func `invalid migrations are refused`() throws {
    var store = try open(Self.first)
    for secrets in [[], [StoreSecret.key([1])]] {
      let error = #expect(throws: StoreError.self) { try store.keys.rotate(keeping: secrets) }
      #expect(error?.backendError?.code == .invalidArgument)
    }
    #expect(try store.keys.slots().count == 1)
    #expect(throws: StoreError.self) { try store.encrypt(with: Self.second) }
    #expect(try store.resumeMigration())
    try store.insert(Song("a", seconds: 1))
    try store.saveChanges()
    var inner: (any Error)?
    _ = try store.keys.rotate(keeping: [Self.first]) { _ in
      if inner == nil { do { _ = try store.backend.engine.migrate { _ in true } } catch { inner = error } }
      return true
    }
    #expect((inner as? BackendError)?.code == .inUse)
    try store.decrypt()
    #expect(#expect(throws: StoreError.self) { try store.decrypt() }?.code == .notEncrypted)
    #expect(throws: StoreError.self) { try store.encrypt(with: Self.second) }
    try store.close()
    store = try open(nil)
    #expect(#expect(throws: StoreError.self) { try store.encrypt(with: .passphrase("")) }?.code == .invalidKey)
    #expect(try store.encrypt(with: Self.second))
    try store.close()
    try open(Self.second).close()
  }

  @Test(arguments: [StoreLocation.inMemory, .temporary], Way.allCases)
  func `stores without a directory can be migrated`(_ location: StoreLocation, _ way: Way) throws {
    var configuration = StoreConfiguration(encryption: way.startsEncrypted ? .callback { Self.first } : .none)
    configuration.passphraseCost = 10
    let store = try Store(location, classes: Self.classes, configuration: configuration)
    try fill(store)
    #expect(try migrate(store, way))
    try check(store)
    try store.close()
  }
}
