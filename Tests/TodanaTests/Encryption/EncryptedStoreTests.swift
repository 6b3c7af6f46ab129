import Foundation
import TestSupport
import Testing
import Todana

/// Stores with a passphrase: their content, the secrets that open them, and that nothing is readable without one.
@Suite struct EncryptedStoreTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(
    _ encryption: StoreEncryption, cipher: StoreCipher = .aes128, access: KyotoBackend.Access = .write
  ) throws -> Store {
    var configuration = StoreConfiguration(encryption: encryption)
    configuration.passphraseCost = 10
    configuration.cipher = cipher
    configuration.access = access
    return try Store(
      .directory(directory.path("Secret.todana")), classes: [Song.self, Playlist.self], configuration: configuration)
  }

  private func fill(_ store: Store, songCount: Int = 100) throws {
    let songs = (0..<songCount).map { Song("Blue in Green \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    let playlist = Playlist()
    playlist.title = "Late at Night"
    playlist.songs = songs
    try store.insert(playlist)
    try store.writeNamedBuffer("favourites of mine") { $0.writeReferences(songs.suffix(3)) }
    try store.saveChanges()
  }

  @Test(arguments: StoreCipher.allCases)
  func `all saved content is read back after reopening`(_ cipher: StoreCipher) throws {
    var store = try open(.passphrase("correct horse"), cipher: cipher)
    try fill(store)
    let song = try #require(try store.fetch(Song.self).first)
    try store.update(song) { $0.title = "So What" }
    try store.saveChanges()
    try store.delete(try #require(try store.fetch(Song.self).last))
    try store.saveChanges()
    try store.close()

    store = try open(.passphrase("correct horse"), cipher: cipher)
    let songs = try store.fetch(Song.self)
    #expect(songs.map(\.title) == ["So What"] + (1..<99).map { "Blue in Green \($0)" })
    #expect(songs.map(\.seconds) == (0..<99).map { UInt32($0) })
    #expect(try store.fetch(Playlist.self).first?.songs.count == 100)
    #expect(try store.namedBufferNames() == ["favourites of mine"])
    #expect(try store.readNamedBuffer("favourites of mine") { try $0.readReferences(Song.self).count } == 3)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test func `repeated saves, conflicts and named buffers work as in a plain store`() throws {
    let store = try open(.key([UInt8](repeating: 7, count: 32)))
    try fill(store, songCount: 10)
    let other = try Store(backend: store.backend, classes: [Song.self, Playlist.self])
    let mine = try #require(try store.fetch(Song.self).first)
    let theirs = try #require(try other.fetch(Song.self).first)
    try store.update(mine) { $0.title = "Mine" }
    try store.saveChanges()
    try store.update(mine) { $0.title = "Mine again" }
    try store.saveChanges()
    try other.update(theirs) { $0.title = "Theirs" }
    try other.writeNamedBuffer("favourites of mine") { $0.writeUInt8(1) }
    #expect(throws: SaveConflict.self) { try other.saveChanges() }
    try other.refresh(keeping: .mine)
    try other.saveChanges()
    try store.refresh()
    #expect(try store.fetch(Song.self).first?.title == "Theirs")
    _ = try store.readNamedBuffer("favourites of mine") { try $0.readUInt8() }
    try other.writeNamedBuffer("favourites of mine", immediately: true) { $0.writeUInt8(2) }
    try store.writeNamedBuffer("favourites of mine") { $0.writeUInt8(3) }
    let conflict = #expect(throws: SaveConflict.self) { try store.saveChanges() }
    #expect(conflict?.bufferNames == ["favourites of mine"])
    try store.close(discarding: true)
  }

  @Test func `a wrong, missing or unneeded passphrase is refused before anything is read`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store)
    try store.close()
    let before = try contents()
    for encryption: StoreEncryption in [
      .passphrase("Correct horse"), .key([UInt8](repeating: 1, count: 16)), .recoveryKey(RecoveryKey()),
      .callback { .passphrase("wrong") },
    ] {
      let error = #expect(throws: StoreError.self) { try open(encryption) }
      #expect(error?.code == .wrongKey, "\(encryption)")
    }
    #expect(#expect(throws: StoreError.self) { try open(.none) }?.code == .keyRequired)
    #expect(#expect(throws: StoreError.self) { try open(.passphrase("")) }?.code == .invalidKey)
    #expect(#expect(throws: StoreError.self) { try open(.key([1, 2, 3])) }?.code == .invalidKey)
    #expect(try contents() == before)

    try FileManager.default.removeItem(atPath: directory.path("Secret.todana"))
    try open(.none).close()
    #expect(#expect(throws: StoreError.self) { try open(.passphrase("correct horse")) }?.code == .notEncrypted)
  }

  @Test(arguments: [2, 64, 4096]) func `padded records have lengths that reveal little`(_ padding: Int) throws {
    var configuration = StoreConfiguration(encryption: .key([UInt8](repeating: 7, count: 16)))
    configuration.recordPadding = padding
    let classes = [Song.self, Playlist.self] as [StoredObject.Type]
    let path = directory.path("Secret.todana")
    var store = try Store(.directory(path), classes: classes, configuration: configuration)
    let titles = (0..<200).map { String(repeating: "é", count: $0) }
    for title in titles { try store.insert(Song(title, seconds: 1)) }
    try store.writeNamedBuffer("favourites") { $0.writeUInt8(7) }
    try store.saveChanges()
    let songs = try store.fetch(Song.self)
    try store.update(songs[3]) { $0.title = "one of another length" }
    try store.saveChanges()
    try store.update(songs[3]) { $0.title = titles[3] }
    try store.saveChanges()

    func check(_ store: Store, envelope: Int) throws {
      let keyspaces = try store.backend.keyspaces()
      let id = try #require(keyspaces.first { $0.name == Array("Song".utf8) }).id
      let lengths = try Set(store.backend.snapshot().scan(id).remainingRows().values.map(\.count))
      #expect(lengths.allSatisfy { ($0 - envelope) % padding == 0 })
      #expect(lengths.count <= (titles.count * 2 + 20) / padding + 2)
      #expect(try store.fetch(Song.self).map(\.title) == titles)
      #expect(try store.readNamedBuffer("favourites") { try $0.readUInt8() } == 7)
      #expect(try store.verify().isSound)
    }
    // The format byte, epoch, nonce and tag take 30 bytes.
    try check(store, envelope: 30)
    try store.close()
    store = try Store(.directory(path), classes: classes, configuration: configuration)
    try check(store, envelope: 30)
    // The kept token takes 8 more.
    try store.keys.rotate(keeping: [.key([UInt8](repeating: 7, count: 16))])
    try check(store, envelope: 38)
    try store.decrypt()
    #expect(try store.fetch(Song.self).map(\.title) == titles)
    try store.close()
    store = try open(.none)
    #expect(try store.fetch(Song.self).map(\.title) == titles)
    #expect(try store.readNamedBuffer("favourites") { try $0.readUInt8() } == 7)
    try store.close()
  }

  @Test func `canonically equivalent passphrases of any length are the same`() throws {
    let long = String(repeating: "a very long passphrase, ", count: 1 << 16)
    for (given, typed) in [("café au lait", "cafe\u{301} au lait"), (long, long)] {
      try open(.passphrase(given)).close()
      try open(.passphrase(typed)).close()
      try FileManager.default.removeItem(atPath: directory.path("Secret.todana"))
    }
  }

  @Test func `no saved text is readable in the files`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store)
    try expectNothingReadable()
    try store.backend.operations?.checkpoint()
    try expectNothingReadable()
    for song in try store.fetch(Song.self) { try store.update(song) { $0.title = "Blue in Green, and more of it" } }
    try store.saveChanges()
    try store.compact()
    try expectNothingReadable()
    try store.close()
    try expectNothingReadable()
  }

  @Test func `a record in another's place, of an unknown key, or in clear is refused`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store, songCount: 3)
    let classID = try #require(try store.catalog[Song.self]?.id)
    let chunk = RecordChunk()
    let rows: [RowID] = [1, 2]
    try store.backend.read(rows: rows.span, of: classID, into: chunk)
    let first = unsafe [UInt8](chunk.arena.bytes[chunk.slices[0].value])
    var flipped = first
    flipped[flipped.count / 2] ^= 1
    var otherEpoch = first
    otherEpoch[1] = 77
    for (value, code) in [
      (first, StoreError.Code.damagedRecord), (flipped, .damagedRecord), (otherEpoch, .unknownKeyEpoch),
      (Array(first.dropLast()), .damagedRecord), ([], .damagedRecord), ([0xF0] + first, .damagedRecord),
      ([1, 2] + [UInt8](repeating: 0, count: 40), .damagedRecord),
    ] {
      var batch = WriteBatch()
      batch.put(value, row: 2, in: classID, expecting: .anything)
      _ = try store.backend.commit(batch, durability: .full)
      let reader = try Store(backend: store.backend, classes: [Song.self])
      let error = #expect(throws: StoreError.self) { try reader.fetch(Song.self) }
      #expect(error?.code == code)
      #expect(error?.rowID == 2)
      let problem = try reader.verify().problems.first { $0.rowID == 2 }
      let isCopy = value.suffix(8) == first.suffix(8)
      #expect(problem?.message.contains("a copy of row 1 of Song, which has the same token") == isCopy)
      var found: [UInt32] = []
      for song in try reader.fetch(Song.self, onDamage: .report { _ in }) { found.append(song.seconds) }
      #expect(found == [0, 2])
    }
    try store.close()
  }

  @Test func `secrets are added, changed and removed without touching a record`() throws {
    let store = try open(.passphrase("first"))
    try fill(store)
    try store.backend.operations?.checkpoint()
    let before = try contents().filter { !$0.key.hasPrefix("keys") }
    let recovery = RecoveryKey()
    try store.keys.add(.recoveryKey(recovery))
    let key = (0..<16).map { UInt8($0) }
    let keySlot = try store.keys.add(.key(key))
    try store.keys.change(to: .passphrase("second"))
    #expect(try store.keys.slots().map(\.kind) == [.recoveryKey, .key, .passphrase])
    #expect(try store.keys.slots().map(\.isInUse) == [false, false, true])
    #expect(try contents().filter { !$0.key.hasPrefix("keys") } == before)
    try store.close()

    #expect(#expect(throws: StoreError.self) { try open(.passphrase("first")) }?.code == .wrongKey)
    for encryption: StoreEncryption in [
      .passphrase("second"), .key(key), .recoveryKey(try RecoveryKey(text: recovery.text.lowercased())),
    ] {
      let store = try open(encryption)
      #expect(try store.count(Song.self) == 100)
      try store.close()
    }
    let again = try open(.passphrase("second"))
    try again.keys.remove(keySlot)
    #expect(throws: StoreError.self) { try again.keys.remove(keySlot) }
    for slot in try again.keys.slots() where !slot.isInUse { try again.keys.remove(slot.id) }
    let last = try #require(try again.keys.slots().first)
    #expect(throws: StoreError.self) { try again.keys.remove(last.id) }
    try again.close()
    #expect(#expect(throws: StoreError.self) { try open(.key(key)) }?.code == .wrongKey)
    try open(.passphrase("second")).close()
  }

  @Test func `backups are encrypted with the store's keys and open with its passphrase`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store)
    try store.backUp(to: directory.path("Copy.todana"))
    let series = BackupSeries(at: directory.path("Series"))
    try store.backUp(into: series)
    for song in try store.fetch(Song.self) { try store.update(song) { $0.title = "So What" } }
    try store.saveChanges()
    try store.keys.change(to: .passphrase("another one"))
    try store.backUp(into: series)
    try store.close()
    #expect(try series.verify().isSound)
    try series.restore(1, to: directory.path("First.todana"))
    try series.restore(to: directory.path("Second.todana"))
    for (name, passphrase, title) in [
      ("Copy", "correct horse", "Blue in Green 0"), ("First", "correct horse", "Blue in Green 0"),
      ("Second", "another one", "So What"),
    ] {
      let place = StoreLocation.directory(directory.path("\(name).todana"))
      #expect(throws: StoreError.self) { try Store(place, classes: [Song.self]) }
      let configuration = StoreConfiguration(encryption: .passphrase(passphrase))
      let copy = try Store(place, classes: [Song.self, Playlist.self], configuration: configuration)
      #expect(try copy.fetch(Song.self).first?.title == title)
      #expect(try copy.verify().isSound)
      try copy.close()
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: series.path) {
      let content = try Data(contentsOf: URL(filePath: "\(series.path)/\(name)"))
      for word in ["Blue", "So What", "Playlist", "favour"] { #expect(content.range(of: Data(word.utf8)) == nil) }
    }
  }

  @Test func `a read-only opener changes nothing and adds no passphrase`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store)
    try store.close()
    // A change of passphrase that was interrupted between the two copies leaves this state.
    try FileManager.default.removeItem(atPath: directory.path("Secret.todana/keys-copy"))
    let before = try contents()
    let reader = try open(.passphrase("correct horse"), access: .read)
    #expect(try reader.count(Song.self) == 100)
    #expect(try reader.readNamedBuffer("favourites of mine") { try $0.readReferences(Song.self).count } == 3)
    let error = #expect(throws: StoreError.self) { try reader.keys.add(.passphrase("mine")) }
    #expect(error?.code == .readOnly)
    try reader.close()
    #expect(try contents() == before)
    try open(.passphrase("correct horse")).close()
    #expect(try contents()["keys-copy"] == before["keys"])
  }

  @Test func `either copy of the key file is sufficient`() throws {
    let store = try open(.passphrase("correct horse"))
    try fill(store)
    try store.close()
    for name in ["keys", "keys-copy"] {
      let file = URL(filePath: directory.path("Secret.todana/\(name)"))
      let whole = try Data(contentsOf: file)
      for place in [3, 70, 100, 150, 300] {
        var damaged = whole
        damaged[place] ^= 4
        try damaged.write(to: file)
        let store = try open(.passphrase("correct horse"))
        #expect(try store.count(Song.self) == 100)
        try store.close()
        #expect(try Data(contentsOf: file) == whole, "the damaged copy is repaired")
      }
    }
    for name in ["keys", "keys-copy"] {
      try FileManager.default.moveItem(
        atPath: directory.path("Secret.todana/\(name)"), toPath: directory.path(name))
    }
    for encryption in [.none, .passphrase("correct horse")] as [StoreEncryption] {
      #expect(#expect(throws: StoreError.self) { try open(encryption) }?.code == .damagedKeys)
    }
    for name in ["keys", "keys-copy"] {
      try FileManager.default.moveItem(
        atPath: directory.path(name), toPath: directory.path("Secret.todana/\(name)"))
    }
    for name in ["keys", "keys-copy"] {
      var damaged = try Data(contentsOf: URL(filePath: directory.path("Secret.todana/\(name)")))
      damaged[150] ^= 4
      try damaged.write(to: URL(filePath: directory.path("Secret.todana/\(name)")))
    }
    #expect(#expect(throws: StoreError.self) { try open(.passphrase("correct horse")) }?.code == .damagedKeys)
  }

  @Test func `a mistyped recovery key is refused`() throws {
    let text = RecoveryKey().text
    #expect(try RecoveryKey(text: text).text == text)
    #expect(text.split(separator: "-").map(\.count) == [5, 5, 5, 5, 5, 5])
    for index in text.indices where text[index] != "-" {
      let wrong = text[index] == "7" ? "8" : "7"
      let mistyped = text.replacingCharacters(in: index...index, with: wrong)
      #expect(#expect(throws: StoreError.self) { try RecoveryKey(text: mistyped) }?.code == .invalidKey)
    }
    for wrong in ["", "ABC", text + "0", "U" + text.dropFirst()] {
      #expect(#expect(throws: StoreError.self) { try RecoveryKey(text: wrong) }?.code == .invalidKey)
    }
  }

  @Test func `nothing secret is printed`() {
    let secret = "correct horse", key = [UInt8](repeating: 0xAB, count: 16), recovery = RecoveryKey()
    for value: Any in [
      StoreConfiguration(encryption: .passphrase(secret)), StoreEncryption.key(key), StoreSecret.passphrase(secret),
      StoreSecret.key(key), recovery, StoreConfiguration(encryption: .recoveryKey(recovery)),
    ] {
      var dumped = "\(value) " + String(reflecting: value)
      dump(value, to: &dumped)
      #expect(!dumped.contains(secret) && !dumped.contains("171") && !dumped.contains("bytes"), "\(dumped)")
    }
  }

  // MARK: Files

  private func contents() throws -> [String: Data] {
    let path = directory.path("Secret.todana")
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
    }
    return contents
  }

  private func expectNothingReadable() throws {
    for (name, content) in try contents() {
      for word in ["Song", "Playlist", "Blue in", "Late at", "favour", "named", "buffers"] {
        #expect(!name.contains(word), "\(name)")
        #expect(content.range(of: Data(word.utf8)) == nil, "\(word) in \(name)")
      }
    }
  }
}
