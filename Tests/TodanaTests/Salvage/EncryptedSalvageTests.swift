import Foundation
import TestSupport
import Testing
import Todana

/// Salvage of stores with a passphrase.
@Suite struct EncryptedSalvageTests {
  private static let secret = StoreEncryption.passphrase("correct horse")
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("store")
    let store = try Self.open(path)
    let songs = (0..<500).map { Song("Blue in Green \($0)", seconds: UInt32($0)) }
    for song in songs { try store.insert(song) }
    let playlist = Playlist()
    playlist.title = "Late at Night"
    playlist.songs = songs
    try store.insert(playlist)
    try store.writeNamedBuffer("favourites") { $0.writeReferences(songs.suffix(3)) }
    try store.saveChanges()
    try store.close()
  }

  private static func open(_ path: String) throws -> Store {
    var configuration = StoreConfiguration(encryption: secret)
    configuration.passphraseCost = 10
    configuration.cipher = .aes256
    return try Store(.directory(path), classes: [Song.self, Playlist.self], configuration: configuration)
  }

  enum Loss: CaseIterable {
    case nothing, superblock, catalog, checksums, headers, keys
  }

  @Test(arguments: Loss.allCases)
  func `records are found without the files and headers that locate them`(_ loss: Loss) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let file = URL(filePath: "\(path)/\(name)")
      let isLost =
        switch loss {
        case .nothing, .headers: false
        case .superblock: name == "superblock"
        case .catalog: name.contains("catalog")
        case .checksums: name.hasSuffix(".sums")
        case .keys: name == "keys"
        }
      if isLost { try FileManager.default.removeItem(at: file) }
      if loss == .headers, name.hasSuffix(".kch") {
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(0..<64, with: Data(count: 64))
        try bytes.write(to: file)
      }
    }
    let newPath = directory.path("salvaged")
    let report = try Store.salvage(from: path, to: newPath, encryption: Self.secret)
    #expect(report.savedCount == 502)
    let new = try Self.open(newPath)
    let known = try new.catalog.entries.filter { $0.type != nil && $0.recordCount ?? 0 > 0 }
    if loss != .catalog && loss != .headers {
      #expect(known.map(\.name) == ["Song", "Playlist"])
      #expect(try new.fetch(Song.self).map(\.title) == (0..<500).map { "Blue in Green \($0)" })
      #expect(try new.fetch(Playlist.self).first?.songs.map(\.seconds).count == 500)
      #expect(try new.namedBufferNames() == ["favourites"])
      #expect(try new.readNamedBuffer("favourites") { try $0.readReferences(Song.self).count } == 3)
    }
    #expect(try new.verify().isSound)
    try new.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: newPath) {
      let content = try Data(contentsOf: URL(filePath: "\(newPath)/\(name)"))
      for word in ["Blue", "Late", "favourites", "Playlist"] { #expect(content.range(of: Data(word.utf8)) == nil) }
    }
  }

  @Test func `named buffers are recognized without the catalog, and classes are named by the caller`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let catalog = try #require(names.first { $0.hasSuffix("catalog.kch") })
    try FileManager.default.removeItem(atPath: "\(path)/\(catalog)")
    let newPath = directory.path("salvaged")
    let report = try Store.salvage(
      from: path, to: newPath, encryption: Self.secret, naming: [1: "Song", 2: "Playlist", 77: "None"])
    #expect(!report.keyspaces.contains { !$0.isNameKnown })
    #expect(Set(report.keyspaces.map(\.name)) == ["Song", "Playlist", "named buffers"])
    let new = try Self.open(newPath)
    #expect(try new.fetch(Playlist.self).first?.songs.map(\.seconds).count == 500)
    #expect(try new.readNamedBuffer("favourites") { try $0.readReferences(Song.self).count } == 3)
    #expect(try new.verify().isSound)
    try new.close()
  }

  @Test func `a wrong byte anywhere in the catalog costs at most one name`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let catalog = "\(path)/\(try #require(names.first { $0.hasSuffix("catalog.kch") }))"
    let bytes = Array(try Data(contentsOf: URL(filePath: catalog)))
    // The last kilobyte has the entries. Each run changes others of its bytes.
    let step = LongTests.areEnabled ? 4 : 17
    let first = max(0, bytes.count - 1024) + Int.random(in: 0..<step)
    let places = stride(from: first, to: bytes.count, by: step)
    for place in places {
      var changed = bytes
      changed[place] ^= 0x40
      changed[min(place + 1, bytes.count - 1)] ^= 0x21
      try Data(changed).write(to: URL(filePath: catalog))
      let newPath = directory.path("salvaged")
      let report = try Store.salvage(from: path, to: newPath, encryption: Self.secret)
      #expect(report.savedCount == 502, "byte \(place)")
      #expect(report.keyspaces.count { !$0.isNameKnown } <= 1, "byte \(place)")
      try FileManager.default.removeItem(atPath: newPath)
    }
  }

  @Test func `without the passphrase nothing is salvaged`() throws {
    for (encryption, code) in [
      (.none, .keyRequired), (.passphrase("wrong"), .wrongKey),
    ] as [(StoreEncryption, StoreError.Code)] {
      let error = #expect(throws: StoreError.self) {
        try Store.salvage(from: path, to: directory.path("salvaged"), encryption: encryption)
      }
      #expect(error?.code == code)
      #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged")))
      #expect(!FileManager.default.fileExists(atPath: directory.path("salvaged.partial")))
    }
  }

  @Test func `salvage after random damage returns no false records`() throws {
    var random = SeededGenerator(seed: 42)
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("0") }.sorted()
    for round in 0..<(LongTests.areEnabled ? 200 : 20) {
      let copy = directory.path("copy"), newPath = directory.path("salvaged")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      for _ in 0..<4 {
        let name = names.randomElement(using: &random) ?? ""
        let kinds = FileDamage.allCases
        try kinds[Int.random(in: kinds.indices, using: &random)].apply(to: "\(copy)/\(name)", &random)
      }
      let report = try Store.salvage(from: copy, to: newPath, encryption: Self.secret)
      let new = try Self.open(newPath)
      for song in try new.fetch(Song.self) {
        #expect(song.title == "Blue in Green \(song.seconds)", "round \(round)")
      }
      #expect(try new.count(Song.self) <= 500)
      #expect(report.savedCount <= 502)
      try new.close()
      try FileManager.default.removeItem(atPath: copy)
      try FileManager.default.removeItem(atPath: newPath)
    }
  }
}
