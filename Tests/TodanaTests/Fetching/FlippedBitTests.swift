import Foundation
import TestSupport
import Testing
import Todana

/// Single wrong bits in a class's file: each costs only the row that it is in, in all kinds of reads and in saves.
@Suite struct FlippedBitTests {
  enum Shape: String, CaseIterable {
    case packed, medium, large, oneByOne

    var rowCount: Int { self == .large ? 60 : 400 }
    var padding: Int { self == .medium ? 500 : self == .large ? 5000 : 0 }
    func title(_ row: Int) -> String { "song \(row) " + String(repeating: "x", count: padding) }
  }

  /// A closed store, whose class file is damaged and restored.
  private struct Victim {
    let shape: Shape
    let secret: StoreSecret?
    let directory: TemporaryDirectory
    let path: String
    let file: String
    let content: Data
    let titles: [RowID: String]

    /// Makes the store.
    ///
    /// In a worn file, rows have left their packs or were removed, so that unused space has old rows.
    init(_ shape: Shape, rowCount: Int? = nil, isEncrypted: Bool, isWorn: Bool = false) throws {
      self.shape = shape
      directory = try TemporaryDirectory()
      secret = isEncrypted ? StoreSecret.key([UInt8](repeating: 0xA5, count: 32)) : nil
      path = directory.path("store")
      let backend = try KyotoBackend(.directory(path), secret: secret)
      let store = try Store(backend: backend, classes: [Song.self])
      for row in 1...(rowCount ?? shape.rowCount) {
        try store.insert(Song(shape.title(row), seconds: UInt32(row)))
        if shape == .oneByOne { try store.saveChanges(durability: .bulk) }
      }
      try store.saveChanges()
      if isWorn { try Self.wear(store, shape) }
      let songs = try store.fetch(Song.self)
      titles = Dictionary(uniqueKeysWithValues: songs.compactMap { song in song.id.map { ($0.rowID, song.title) } })
      try store.close()
      try backend.close()
      let name = try FileManager.default.contentsOfDirectory(atPath: path)
        .first { $0.hasSuffix(".kch") && !$0.contains("catalog") }
      file = try path + "/" + #require(name)
      content = try Data(contentsOf: URL(filePath: file))
      try FileManager.default.copyItem(atPath: path, toPath: path + "-sound")
    }

    private static func wear(_ store: Store, _ shape: Shape) throws {
      for (index, song) in try store.fetch(Song.self).enumerated() where index % 7 == 3 {
        if shape == .packed || index % 2 == 0 {
          try store.update(song) { $0.title += " " + String(repeating: "again", count: 1 + index % 9) }
        } else {
          try store.delete(song)
        }
        try store.saveChanges(durability: .bulk)
      }
      try store.saveChanges()
    }

    var rows: [RowID] { titles.keys.sorted() }

    func damage(_ change: (inout Data) -> Void) throws {
      var damaged = content
      change(&damaged)
      try damaged.write(to: URL(filePath: file))
    }

    func flip(_ bit: Int) throws { try damage { $0[bit / 8] ^= 1 << UInt8(bit % 8) } }

    func open(_ access: KyotoBackend.Access = .read) throws -> (KyotoBackend, Store) {
      var options = KyotoBackend.Options()
      options.access = access
      let backend = try KyotoBackend(.directory(path), secret: secret, options: options)
      return (backend, try Store(backend: backend, classes: [Song.self]))
    }

    /// Reads the store in all ways; expects that the results agree and that no wrong content is returned.
    func read(_ problem: String) throws -> DamagedRows {
      let (backend, store) = try open()
      defer {
        try? store.close()
        try? backend.close()
      }
      let scanned = try DamagedRows.scanning(store)
      for (row, title) in scanned.found { #expect(title == titles[row], "\(problem), row \(row)") }
      #expect(Set(scanned.reported).count == scanned.reported.count, "\(problem): reported once")
      #expect(Set(scanned.reported).isDisjoint(with: scanned.found.keys), "\(problem)")
      // Use a second store, which has no objects in memory.
      let other = try Store(backend: backend, classes: [Song.self])
      let single = try DamagedRows.reading(rows, from: other)
      let different = Set(single.found.keys).symmetricDifference(scanned.found.keys).sorted()
      #expect(different.isEmpty, "\(problem): found by one kind of read only")
      // If a pack's list of rows is unreadable, a scan also reports row ids that were never used.
      let known = scanned.reported.filter { titles[$0] != nil }
      #expect(scanned.unnamed.isEmpty ? single.reported == known : true, "\(problem): \(single.reported)")
      #expect(single.found.count + single.reported.count == titles.count, "\(problem)")
      for (row, title) in single.found { #expect(title == titles[row], "\(problem), row \(row)") }
      try other.close()
      return scanned
    }
  }

  /// Returns random bits of a file: some in the header, some in the buckets, and most in the records.
  private func bits(of victim: Victim, count: Int, _ random: inout SeededGenerator) -> [Int] {
    let size = victim.content.count
    return (0..<count).map { round in
      switch round % 8 {
      case 0: Int.random(in: 0..<64 * 8, using: &random)
      case 1: Int.random(in: 64 * 8..<30_000 * 8, using: &random)
      default: Int.random(in: 30_000 * 8..<size * 8, using: &random)
      }
    }
  }

  @Test(arguments: Shape.allCases, [false, true])
  func `a flipped bit damages at most the row that it is in`(_ shape: Shape, _ isEncrypted: Bool) throws {
    // Test all bits of a small file, or some bits of a larger one.
    let isWhole = LongTests.areEnabled && shape == .packed
    let victim = try Victim(shape, rowCount: isWhole ? 60 : nil, isEncrypted: isEncrypted)
    var random = SeededGenerator(seed: 31)
    let places = isWhole ? Array(30_000 * 8..<victim.content.count * 8) : bits(of: victim, count: 48, &random)
    var lostCount = 0
    for bit in places {
      try victim.flip(bit)
      let problem = "bit \(bit % 8) of byte \(bit / 8)"
      let start = ContinuousClock.now
      let rows = try victim.read(problem)
      #expect(start.duration(to: .now) < .seconds(20), "\(problem)")
      #expect(rows.unnamed.isEmpty, "\(problem): \(rows.unnamed)")
      #expect(rows.reported.count <= 1 && rows.found.count + rows.reported.count == victim.titles.count, "\(problem)")
      lostCount += rows.reported.count
    }
    #expect(lostCount > places.count / 8)
  }

  @Test(arguments: Shape.allCases, [false, true])
  func `verify names the page and the row`(_ shape: Shape, _ isEncrypted: Bool) throws {
    let victim = try Victim(shape, isEncrypted: isEncrypted)
    var random = SeededGenerator(seed: 32)
    for bit in bits(of: victim, count: 16, &random) {
      try victim.flip(bit)
      let (backend, store) = try victim.open()
      let rows = try DamagedRows.scanning(store)
      let report = try store.verify()
      #expect(report.problems.contains { $0.kind == .damagedPage && $0.page == bit / 8 / 4096 }, "bit \(bit)")
      #expect(report.problems.filter { $0.kind == .damagedRecord }.map(\.rowID) == rows.reported, "bit \(bit)")
      #expect(report.problemCount == 1 + rows.reported.count, "bit \(bit): \(report.problems)")
      try store.close()
      try backend.close()
    }
  }

  @Test(arguments: Shape.allCases, [false, true])
  func `a save beside a flipped bit succeeds, and leaves the file sound`(_ shape: Shape, _ isEncrypted: Bool) throws {
    let victim = try Victim(shape, isEncrypted: isEncrypted)
    var random = SeededGenerator(seed: 33)
    for (round, bit) in bits(of: victim, count: 12, &random).enumerated() {
      try FileManager.default.removeItem(atPath: victim.path)
      try FileManager.default.copyItem(atPath: victim.path + "-sound", toPath: victim.path)
      try victim.flip(bit)
      let (backend, store) = try victim.open(.write)
      let classID = try #require(try store.catalog[Song.self]?.id)
      let reported = try DamagedRows.scanning(store).reported
      // Removes the damaged row, or any if none is damaged, and changes all others.
      let removed = reported.first ?? RowID(1 + round)
      let held = try backend.snapshot()
      try backend.commit { $0.remove(row: removed, in: classID) }
      let rest = try store.fetch(Song.self)
      #expect(rest.count == shape.rowCount - 1, "bit \(bit)")
      for song in rest { try store.update(song) { $0.seconds += 1 } }
      try store.saveChanges()
      let chunk = RecordChunk()
      let scan = try held.scan(classID)
      var heldCount = 0
      repeat {
        try scan.next(into: chunk)
        heldCount += chunk.slices.count
      } while !chunk.slices.isEmpty
      #expect(heldCount == shape.rowCount, "bit \(bit)")
      try backend.checkpoint()
      try store.close()
      try backend.close()
      let (other, reader) = try victim.open()
      let rows = try DamagedRows.scanning(reader)
      #expect(rows.found.count == shape.rowCount - 1 && rows.reported.isEmpty, "bit \(bit)")
      #expect(rows.found[removed] == nil && rows.found.allSatisfy { $1 == shape.title(Int($0)) })
      // A page that no save has read stays damaged.
      let damage = try reader.verify().problems
      #expect(
        damage.allSatisfy { $0.kind == .damagedPage } && (reported.isEmpty || damage.isEmpty), "bit \(bit): \(damage)")
      try reader.close()
      try other.close()
    }
  }

  @Test(arguments: [false, true])
  func `a wrong bit in the file of named buffers damages at most the buffer that it is in`(_ isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory()
    let secret = isEncrypted ? StoreSecret.key([UInt8](repeating: 0xA5, count: 32)) : nil
    let path = directory.path("store")
    var backend = try KyotoBackend(.directory(path), secret: secret)
    var store = try Store(backend: backend, classes: [Song.self])
    for number in 1...200 { try store.writeNamedBuffer("buffer \(number)") { $0.writeUInt64(UInt64(number)) } }
    try store.saveChanges()
    try store.close()
    try backend.close()
    let name = try FileManager.default.contentsOfDirectory(atPath: path)
      .first { $0.hasSuffix(".kch") && !$0.contains("catalog") }
    let url = try URL(filePath: path + "/" + #require(name))
    let content = try Data(contentsOf: url)
    var random = SeededGenerator(seed: 35)
    var lostCount = 0
    for _ in 0..<24 {
      var damaged = content
      damaged[Int.random(in: 31_000..<content.count, using: &random)] ^= 4
      try damaged.write(to: url)
      backend = try KyotoBackend(.directory(path), secret: secret)
      store = try Store(backend: backend, classes: [Song.self])
      let lost = (1...200).count { number in
        (try? store.readNamedBuffer("buffer \(number)") { try $0.readUInt64() }) != UInt64(number)
      }
      #expect(lost <= 1)
      lostCount += lost
      try store.close()
      try backend.close()
    }
    #expect(lostCount > 0)
  }

  // MARK: More than one bit

  @Test(arguments: Shape.allCases, [false, true])
  func `a row with several wrong bits is reported until it is removed by its id`(
    _ shape: Shape, _ isEncrypted: Bool
  ) throws {
    let victim = try Victim(shape, isEncrypted: isEncrypted)
    // Damage one random byte of the records in each round. Rounds that damage no row, or several, are skipped.
    var random = SeededGenerator(seed: 36)
    var removedCount = 0
    for _ in 0..<12 {
      let byte = Int.random(in: 31_000..<victim.content.count, using: &random)
      try victim.damage { $0[byte] ^= 0x5A }
      var (backend, store) = try victim.open(.write)
      let classID = try #require(try store.catalog[Song.self]?.id)
      let before = try DamagedRows.scanning(store)
      if before.reported.count == 1, before.unnamed.isEmpty, let damaged = before.reported.first {
        // Change the other rows first, which neither restores nor hides the damaged row.
        let songs = try store.fetch(Song.self, onDamage: .report { _ in })
        for song in songs { try store.update(song) { $0.seconds += 1 } }
        var isRefused = false
        do {
          try store.saveChanges()
        } catch {
          // The damaged byte is one by which a record is recognized.
          #expect((error as? StoreError)?.code == .damagedRecord, "byte \(byte)")
          isRefused = true
          store.discardChanges()
        }
        try store.close()
        try backend.close()
        (backend, store) = try victim.open(.write)
        let after = try DamagedRows.scanning(store)
        #expect(after.reported == [damaged] && after.found == before.found, "byte \(byte)")
        if !isRefused {
          try backend.commit { $0.remove(row: damaged, in: classID) }
          #expect(try store.count(Song.self) == shape.rowCount - 1)
          removedCount += 1
        }
      }
      try store.close()
      try backend.close()
      try FileManager.default.removeItem(atPath: victim.path)
      try FileManager.default.copyItem(atPath: victim.path + "-sound", toPath: victim.path)
    }
    #expect(removedCount > 2, "\(removedCount) rows were removed")
  }

  @Test(arguments: Shape.allCases, [false, true])
  func `a scan beside many wrong bits finds the rows that single reads find`(_ shape: Shape, _ isWorn: Bool) throws {
    for isEncrypted in [false, true] {
      let victim = try Victim(shape, isEncrypted: isEncrypted, isWorn: isWorn)
      let end = victim.content.count
      var random = SeededGenerator(seed: 37)
      var found = 0, lost = 0
      for round in 0..<(LongTests.areEnabled ? 400 : shape == .packed ? 40 : 16) {
        let bitCount = Int.random(in: 1...60, using: &random)
        // The bits are spread over the file or over the records, or close together so that one page has many of them.
        let start = Int.random(in: 31_000..<end - 9000, using: &random)
        let range = [4096..<end, 31_000..<end, start..<start + 9000][round % 3]
        try victim.damage { content in
          for _ in 0..<bitCount {
            content[Int.random(in: range, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          }
        }
        let problem = "round \(round), \(bitCount) bits in \(range), encrypted: \(isEncrypted)"
        let rows = try victim.read(problem)
        let missing = victim.titles.count - rows.found.count - rows.reported.filter { victim.titles[$0] != nil }.count
        #expect(missing == 0 || !rows.unnamed.isEmpty, "\(problem): \(missing) rows are not accounted for")
        found += rows.found.count
        lost += missing + rows.reported.count
      }
      #expect(found > 0 && lost > 0)
    }
  }

  enum Wreck: String, CaseIterable { case byte, block, page }

  @Test(arguments: Shape.allCases, Wreck.allCases)
  func `sound rows beside larger damage are found, and the others are accounted for`(
    _ shape: Shape, _ wreck: Wreck
  ) throws {
    for isEncrypted in [false, true] {
      let victim = try Victim(shape, isEncrypted: isEncrypted)
      var random = SeededGenerator(seed: 34)
      for round in 0..<(LongTests.areEnabled ? 400 : 24) {
        let start = 6222 + round % 2 * 24_600
        let byte = Int.random(in: start..<victim.content.count, using: &random)
        try victim.damage { content in
          let range =
            switch wreck {
            case .byte: byte..<byte + 1
            case .block: (byte & ~63)..<min((byte & ~63) + 64, content.count)
            case .page: (byte & ~4095)..<min((byte & ~4095) + 4096, content.count)
            }
          for place in range { content[place] = wreck == .byte ? content[place] ^ 0x5A : 0 }
        }
        let problem = "\(wreck) at \(byte), encrypted: \(isEncrypted)"
        let rows = try victim.read(problem)
        let missing = shape.rowCount - rows.found.count - rows.reported.filter { victim.titles[$0] != nil }.count
        #expect(missing == 0 || !rows.unnamed.isEmpty, "\(problem): \(missing) rows are not accounted for")
        let bound =
          switch (wreck, shape) {
          // If the start of a pack is damaged, other packs of its chain cannot be found either.
          case (_, .packed): 4096 / 30 + 32
          case (.page, .oneByOne): 4096 / 48 + 2
          case (.page, .medium): 10
          case (.byte, .large): 1
          default: 3
          }
        #expect(shape.rowCount - rows.found.count <= bound, "\(problem): \(rows.found.count) rows are found")
      }
    }
  }
}
