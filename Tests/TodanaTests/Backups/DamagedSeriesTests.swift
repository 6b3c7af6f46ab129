import CXXHash
import Foundation
import TestSupport
import Testing
import Todana

/// Damaged and hostile backups.
///
/// Content that differs from the written one is detected and never restored.
@Suite struct DamagedSeriesTests {
  let directory: TemporaryDirectory
  let series: BackupSeries
  /// The files that restoring backups 1 and 2 gives.
  private let sound: [SeriesReader.Files]

  init() throws {
    directory = try TemporaryDirectory()
    let series = BackupSeries(at: directory.path("series"))
    self.series = series
    let store = try Store(.directory(directory.path("store")), classes: SaveWorkload.classes)
    for number in 1...2 {
      try SaveWorkload.save(number, to: store)
      try store.backUp(into: series)
    }
    try store.close()
    sound = try (1...2).map { try SeriesReader(series.path).files(of: $0) }
  }

  private func restored(_ number: Int) throws -> SeriesReader.Files {
    let path = directory.path("restored")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try series.restore(number, to: path)
    var files: SeriesReader.Files = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      files[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
    }
    return files
  }

  private func url(_ name: String) -> URL { URL(filePath: series.path + "/" + name) }

  @Test func `the files of a series have the documented format`() throws {
    for number in 1...2 {
      #expect(try restored(number) == sound[number - 1])
      #expect(sound[number - 1].keys.contains("superblock"))
    }
  }

  @Test func `a flipped bit anywhere is found, and damaged files are not restored`() throws {
    var generator = SeededGenerator(seed: 21)
    var damagedCount = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: series.path).sorted() {
      let bytes = [UInt8](try Data(contentsOf: url(name)))
      guard name.hasPrefix("0"), !bytes.isEmpty else { continue }
      let places =
        LongTests.areEnabled
        ? Array(bytes.indices) : (0..<60).map { _ in Int.random(in: 0..<bytes.count, using: &generator) }
      let file = try FileHandle(forWritingTo: url(name))
      for (round, place) in places.enumerated() {
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: [bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &generator)])
        defer {
          try? file.seek(toOffset: UInt64(place))
          try? file.write(contentsOf: [bytes[place]])
        }
        do {
          let report = try series.verify()
          #expect(!report.isSound && !report.damagedBackups.isEmpty, "\(name), byte \(place)")
          #expect(report.damages.allSatisfy { $0.storedIn == name }, "\(report.damages)")
          damagedCount += report.damageCount
          if round % (LongTests.areEnabled ? 1_000 : 6) == 0 { try checkRestoring(report.damagedBackups) }
        } catch let error as StoreError where error.backendError?.code == .newerFormat {
          Issue.record("a damaged manifest counts as a newer one: byte \(place)")
        }
      }
      try file.close()
    }
    #expect(damagedCount > 200)
    #expect(try series.verify().isSound)
  }

  private func checkRestoring(_ damaged: [Int]) throws {
    for number in 1...2 {
      if damaged.contains(number) {
        let error = #expect(throws: StoreError.self) { try restored(number) }
        #expect(error?.code == .damagedRecord)
        #expect(error?.backendError?.file?.hasPrefix("0") == true)
      } else {
        #expect(try restored(number) == sound[number - 1])
      }
      #expect(!FileManager.default.fileExists(atPath: directory.path("restored.partial")))
    }
  }

  @Test func `a new backup is whole despite damaged segments and a damaged newest manifest`() throws {
    let store = try Store(.directory(directory.path("store")), classes: SaveWorkload.classes)
    let segment = url("000001.pieces")
    let file = try FileHandle(forWritingTo: segment)
    try file.truncate(atOffset: 8_192)
    try file.close()
    #expect(try series.verify().damagedBackups == [1, 2])
    let third = try store.backUp(into: series)
    #expect(try series.verify().damagedBackups == [1, 2])
    #expect(third.newByteCount > third.byteCount / 4)
    try FileManager.default.removeItem(at: url("000003.pieces"))
    #expect(try series.verify().damagedBackups == [1, 2, 3])
    let pruned = #expect(throws: StoreError.self) { try series.prune(keeping: 1) }
    #expect(pruned?.code == .damagedRecord)
    #expect(try series.backups().count == 3)
    let fourth = try store.backUp(into: series)
    #expect(try series.verify(4).isSound)
    try Data(repeating: 1, count: 10).write(to: url("000004.manifest"))
    #expect(try series.backups().map(\.isReadable) == [true, true, true, false])
    #expect(try series.verify().damages.contains { $0.backupNumber == 4 && $0.file == nil })
    let fifth = try store.backUp(into: series)
    #expect(fifth.number == 5 && fourth.number == 4)
    #expect(try series.verify(5).isSound)
    try SaveWorkload.save(3, to: store)
    try store.backUp(into: series)
    try series.prune(keeping: 2)
    #expect(try series.verify().isSound && series.backups().map(\.number) == [5, 6])
    // If no manifest is readable, the store that the series belongs to is unknown.
    for number in 5...6 { try Data(repeating: 1, count: 10).write(to: url("00000\(number).manifest")) }
    let unknown = #expect(throws: StoreError.self) { try store.backUp(into: series) }
    #expect(unknown?.code == .damagedRecord)
    try store.close()
  }

  /// Writes manifests with correct checksums and impossible values.
  @Test func `a hostile manifest does no harm`() throws {
    let name = "000002.manifest"
    let manifest = [UInt8](try Data(contentsOf: url(name)))
    let firstFile = SeriesReader.headerByteCount
    let nameLength = Int(manifest[firstFile + 8])
    func put(_ value: UInt64, _ byteCount: Int, at offset: Int, _ bytes: inout [UInt8]) {
      for index in 0..<byteCount { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    let changes: [(inout [UInt8]) -> Void] = [
      { put(UInt64(UInt32.max), 4, at: 80, &$0) },  // number of files
      { put(0, 4, at: 80, &$0) },
      { put(UInt64.max, 8, at: 48, &$0) },
      { put(1 << 62, 8, at: firstFile, &$0) },  // length
      { put(UInt64.max, 8, at: firstFile, &$0) },
      { put(1 << 43, 8, at: firstFile, &$0) },
      { put(65_535, 2, at: firstFile + 8, &$0) },
      { put(0, 2, at: firstFile + 8, &$0) },
      { $0[firstFile + 10] = 0x2F },  // a slash, a NUL
      { $0[firstFile + 12] = 0x2F },
      { $0[firstFile + 11] = 0 },
      { bytes in for index in 0..<nameLength { bytes[firstFile + 10 + index] = 0x2E } },
      { put(UInt64(UInt32.max), 4, at: firstFile + 10 + nameLength + 16, &$0) },  // position of a table
      { put(UInt64(UInt32.max), 4, at: firstFile + 10 + nameLength + 20, &$0) },
      { put(0, 4, at: firstFile + 10 + nameLength + 16, &$0) },
      { $0.removeLast(100) },
      { $0 += [UInt8](repeating: 0, count: 100) },
      { put(3, 8, at: 32, &$0) },  // number of the backup
    ]
    for (index, change) in changes.enumerated() {
      var bytes = manifest
      change(&bytes)
      SeriesReader.seal(&bytes)
      try Data(bytes).write(to: url(name))
      let report = try series.verify()
      // A name of dots is valid unless it has one or two of them. The commit number cannot be checked.
      let isImpossible = index != 2 && !(index == 11 && nameLength > 2)
      #expect(report.isSound == !isImpossible, "change \(index): \(report.damages)")
      if isImpossible {
        let error = #expect(throws: StoreError.self, "change \(index)") { try restored(2) }
        #expect(error?.code == .damagedRecord)
        #expect(throws: StoreError.self) { try series.prune(keeping: 1) }
      }
      #expect(try restored(1) == sound[0])
    }
    var newer = manifest
    put(2, 4, at: 8, &newer)
    SeriesReader.seal(&newer)
    try Data(newer).write(to: url(name))
    let error = #expect(throws: StoreError.self) { try series.verify() }
    #expect(error?.backendError?.code == .newerFormat)
    let store = try Store(.directory(directory.path("store")), classes: SaveWorkload.classes)
    #expect(throws: StoreError.self) { try store.backUp(into: series) }
    try store.close()
  }
}

/// A reader of series that follows docs/formats/backup-series.md.
struct SeriesReader {
  typealias Files = [String: Data]

  static let headerByteCount = 96
  private static let pieceByteCount = 4_096
  private static let groupByteCount = 128 * 4_096
  let path: String

  init(_ path: String) { self.path = path }

  static func seal(_ bytes: inout [UInt8]) {
    func put(_ value: UInt64, at offset: Int) {
      for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    put(UInt64(bytes.count), at: 72)
    let check = unsafe bytes.withUnsafeBytes { unsafe XXH_INLINE_XXH3_64bits_withSeed($0.baseAddress, 88, 5) }
    put(check, at: 88)
    let end = bytes.count - 16
    let sum = wideSum(bytes[..<end], seed: 8)
    bytes.replaceSubrange(end..., with: sum)
  }

  /// Returns the XXH3-128 of bytes: its lower 8 bytes, then its upper 8.
  static func wideSum(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> [UInt8] {
    let hash = unsafe bytes.withUnsafeBytes { unsafe XXH_INLINE_XXH3_128bits_withSeed($0.baseAddress, $0.count, seed) }
    return [hash.low64, hash.high64].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
  }

  private func bytes(_ number: Int, _ suffix: String) throws -> [UInt8] {
    let digits = "\(number)"
    let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + suffix
    return [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  private func number(_ bytes: [UInt8], at offset: Int, _ byteCount: Int) -> Int {
    (0..<byteCount).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  /// Returns every file of a backup, after comparing each byte with the checksums.
  func files(of backup: Int) throws -> Files {
    let manifest = try bytes(backup, ".manifest")
    #expect(Array(manifest[..<8]) == Array("TDNBKP\r\n".utf8))
    #expect(number(manifest, at: 8, 4) == 1 && number(manifest, at: 12, 4) == 0)
    #expect(number(manifest, at: 32, 8) == backup && number(manifest, at: 72, 8) == manifest.count)
    #expect(number(manifest, at: 64, 8) == (try? bytes(backup, ".pieces").count) ?? 0)
    var sealed = manifest
    Self.seal(&sealed)
    #expect(sealed == manifest)
    var segments: [Int: [UInt8]] = [0: [UInt8](repeating: 0, count: Self.pieceByteCount)]
    /// Returns the block that an entry of 24 bytes describes.
    func block(_ entry: [UInt8], seed: UInt64) throws -> [UInt8] {
      let segment = number(entry, at: 16, 4)
      if segments[segment] == nil { segments[segment] = try bytes(segment, ".pieces") }
      let content = try #require(segments[segment])
      let start = number(entry, at: 20, 4) * Self.pieceByteCount
      let block = Array(
        try #require(content.count >= start + Self.pieceByteCount ? content : nil)[start...].prefix(4_096))
      #expect(Self.wideSum(block[...], seed: seed) == Array(entry[..<16]))
      return block
    }
    var files: Files = [:]
    var offset = Self.headerByteCount
    for _ in 0..<number(manifest, at: 80, 4) {
      let byteCount = number(manifest, at: offset, 8)
      let nameLength = number(manifest, at: offset + 8, 2)
      let name = String(decoding: manifest[(offset + 10)..<(offset + 10 + nameLength)], as: UTF8.self)
      offset += 10 + nameLength
      var content: [UInt8] = []
      while content.count < byteCount {
        let table = try block(Array(manifest[offset..<offset + 24]), seed: 7)
        offset += 24
        let pieceCount = min(128, (byteCount - content.count + Self.pieceByteCount - 1) / Self.pieceByteCount)
        for index in 0..<pieceCount { content += try block(Array(table[(index * 24)..<(index * 24 + 24)]), seed: 6) }
        #expect(table[(pieceCount * 24)...].allSatisfy { $0 == 0 })
      }
      #expect(content[byteCount...].allSatisfy { $0 == 0 })
      files[name] = Data(content[..<byteCount])
    }
    #expect(offset + 16 == manifest.count)
    return files
  }
}
