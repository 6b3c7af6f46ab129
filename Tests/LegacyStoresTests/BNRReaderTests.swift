import Foundation
import LegacyStores
import TestSupport
import Testing
import TodanaDocuments

@Suite struct BNRReaderTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("Music")
  }

  private func code(_ passphrase: String? = nil) -> LegacyError.Code? {
    do {
      _ = try BNRStoreReader(path: path, passphrase: passphrase)
      return nil
    } catch {
      return (error as? LegacyError)?.code
    }
  }

  @Test(arguments: [nil, "howdy"])
  func rowsAndBuffersAreRead(_ passphrase: String?) throws {
    try BNRSample.make(path, passphrase: passphrase)
    let reader = try BNRStoreReader(path: path, passphrase: passphrase)
    #expect(reader.failures.isEmpty)
    let classes = reader.classes.map { "\($0.name) \($0.objectCount) \($0.metadata?.classID ?? 9)" }
    #expect(classes == ["Playlist 1 1", "Song 2 0"])
    let schemas = try BNRSample.schemas.map { try BNRSchema($0) }
    var contents: [DocumentValue] = []
    for type in reader.classes {
      try reader.forEachRow(of: type) { row in
        contents.append(
          DocumentValue(try reader.content(of: try row.get(), schemas.filter { $0.className == type.name })))
      }
    }
    let keys = try [2, 3].map { try DocumentValue(BNRKey.key(className: "Song", row: $0)) }
    let expected: [DocumentValue] = [
      [
        "title": "Mine", "songs": DocumentValue(keys), "best": ["class": "Song", "key": keys[1]], "rowID": 2,
        "version": 0,
      ],
      ["title": "Test Song", "seconds": 545, "rowID": 2, "version": 0],
      ["title": "Blue", "seconds": 337, "rowID": 3, "version": 0],
    ]
    #expect(contents == expected)
    var buffers: [String: [UInt8]] = [:]
    try reader.forEachNamedBuffer { buffer in
      let (name, bytes) = try buffer.get()
      buffers[name] = bytes
    }
    #expect(buffers == ["Favorite": [1, 2, 3]])
  }

  @Test func thePublishedVectorIsDecrypted() throws {
    let hexadecimal = "74ba1da4a1e6c32c6829bfab581a54c884cac528e2d562f469e45357b83ce4cb"
    let record = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
    }
    let cipher = BNRCipher(passphrase: "howdy", salt: [0x1122_3344, 0x5566_7788])
    #expect(try cipher.decrypted(record, row: 0) == [0, 4, 0, 0, 0] + Array("Fred".utf8))
    #expect(try cipher.decrypted(record, row: 1) == nil)
    #expect(try BNRCipher(passphrase: "Howdy", salt: [0x1122_3344, 0x5566_7788]).decrypted(record, row: 0) == nil)
  }

  @Test func aWrongPassphraseIsAnError() throws {
    try BNRSample.make(path, passphrase: "howdy")
    #expect(code("wrong") == .wrongPassphrase)
    #expect(code("howdy") == nil)
    #expect(code() == nil)
  }

  @Test func plainRecordsOfAnEncryptedStoreAreRead() throws {
    try BNRSample.make(path, passphrase: "howdy")
    try TokyoSample.write([(BNRSample.word(9), [0] + BNRSample.text("Plain") + BNRSample.word(5))], to: path + "/Song")
    let reader = try BNRStoreReader(path: path, passphrase: "howdy")
    let song = try #require(reader.classes.last)
    var titles: [String?] = []
    try reader.forEachRow(of: song) { row in
      titles.append(try reader.content(of: try row.get(), [BNRSchema(BNRSample.schemas[0])])["title"]?.string)
    }
    #expect(titles == ["Test Song", "Blue", "Plain"])
  }

  @Test func manyRecordsAndLargeFilesAreRead() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    func content(_ row: UInt32) -> [UInt8] { [UInt8](repeating: UInt8(row & 0xFF), count: Int(row % 700)) }
    let records = (2..<3000 as Range<UInt32>).map { (key: BNRSample.word($0), value: [7] + content($0)) }
    let removed = records.filter { $0.key[0] % 5 == 0 }.map(\.key)
    for (isLarge, isSwapped) in [(false, true), (true, true), (false, false), (true, false)] {
      try TokyoSample.write(
        records, removing: removed, isLarge: isLarge, isSwapped: isSwapped, to: path + "/Thing\(isLarge)\(isSwapped)")
    }
    let reader = try BNRStoreReader(path: path)
    for type in reader.classes {
      var rows: [UInt32] = []
      try reader.forEachRow(of: type) { row in
        let row = try row.get()
        rows.append(row.row)
        #expect(row.version == 7 && row.content == content(row.row))
      }
      let expected = records.filter { $0.key[0] % 5 != 0 }.map { UInt32($0.key[0]) | UInt32($0.key[1]) << 8 }
      #expect(rows == expected)
    }
  }

  @Test func recordsThatDoNotFitTheirDescriptionAreErrors() throws {
    try BNRSample.make(path)
    let reader = try BNRStoreReader(path: path)
    let song = try #require(reader.classes.last)
    for text in ["Song: title string", "Song: title string, seconds uint32, more uint8", "Song: songs array Song"] {
      let schema = try BNRSchema(text)
      try reader.forEachRow(of: song) { row in
        let row = try row.get()
        #expect(throws: LegacyError.self) { try reader.content(of: row, [schema]) }
      }
    }
    // The bytes are kept if there is no description.
    try reader.forEachRow(of: song) { row in
      let row = try row.get()
      #expect(try reader.content(of: row, [])["bytes"]?.bytes == Data(row.content))
    }
  }

  @Test func allTypesAreRead() throws {
    let schema = try BNRSchema(
      "All: a uint8, b uint32, c float32, d float64, e string, f data, g date, h reference Song, i reference any, "
        + "j array Song, k array any, l archived object")
    let archive = try NanoStoreSample.archive(["x": 1])
    let parts: [[UInt8]] = [
      [0xFE], BNRSample.word(0x0102_0304), [0x3F, 0xC0, 0, 0], BNRSample.double(-2.25), BNRSample.text("héllo"),
      BNRSample.word(3), [0, 1, 0xFF], BNRSample.double(86400.5), BNRSample.word(2), [1], BNRSample.word(7),
      BNRSample.word(3), BNRSample.word(2), BNRSample.word(0), BNRSample.word(2), BNRSample.word(1), [0],
      BNRSample.word(2), BNRSample.word(UInt32(archive.count)), archive,
    ]
    let bytes = Array(parts.joined())
    var reader = BNRRecordReader(bytes, classNames: [0: "Song", 1: "Other"])
    let fields = try reader.fields(schema)
    let song = DocumentValue(try BNRKey.key(className: "Song", row: 2))
    let other = DocumentValue(try BNRKey.key(className: "Other", row: 7))
    let expected: DocumentValue = [
      "a": 254, "b": 0x0102_0304, "c": 1.5, "d": -2.25, "e": "héllo", "f": .init(Data([0, 1, 0xFF])),
      "g": .init(Date(timeIntervalSinceReferenceDate: 86400.5)), "h": song, "i": ["class": "Other", "key": other],
      "j": [song, song], "k": [["class": "Song", "key": song]], "l": ["x": 1],
    ]
    #expect(DocumentValue(fields) == expected)
    for count in 0..<bytes.count {
      var reader = BNRRecordReader(Array(bytes.prefix(count)), classNames: [0: "Song", 1: "Other"])
      #expect(throws: (any Error).self) { try reader.fields(schema) }
    }
    var empty = BNRRecordReader([UInt8](repeating: 0, count: 16), classNames: [:])
    #expect(
      DocumentValue(try empty.fields(BNRSchema("N: a string, b data, c date"))) == ["a": nil, "b": nil, "c": nil])
    var invalid = BNRRecordReader(BNRSample.word(1) + [0xFF], classNames: [:])
    #expect(throws: LegacyError.self) { try invalid.fields(BNRSchema("N: a string")) }
  }

  @Test func descriptionsAreParsed() throws {
    let schemas = try BNRSchema.schemas(ofText: "# music\n\nSong@2:title   string ,seconds uint32\nEmpty:\n")
    #expect(schemas.map(\.className) == ["Song", "Empty"] && schemas.map(\.version) == [2, nil])
    #expect(schemas[0].fields.map(\.name) == ["title", "seconds"] && schemas[1].fields.isEmpty)
    for text in [
      "Song", ": a uint8", "Song: a", "Song: a text", "Song: a uint8,", "Song@x: a uint8", "S: a uint8, a data",
    ] {
      #expect(throws: LegacyError.self) { try BNRSchema(text) }
    }
  }

  @Test func otherAndDamagedFilesAreErrors() throws {
    #expect(code() == .cannotOpen)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(code() == .notADatabase)
    try BNRSample.make(path)
    let song = URL(filePath: path + "/Song")
    let bytes = try Data(contentsOf: song)
    func failureCount() throws -> Int {
      let reader = try BNRStoreReader(path: path)
      var count = reader.failures.count
      for type in reader.classes {
        try reader.forEachRow(of: type) { if case .failure = $0 { count += 1 } }
      }
      return count
    }
    for count in [40, 255, 256, 5000, bytes.count - 1] {
      try bytes.prefix(count).write(to: song)
      #expect(try failureCount() == 1)
    }
    // Compressed records.
    var changed = bytes
    changed[36] = 2
    try changed.write(to: song)
    #expect(try failureCount() == 1)
    // Metadata of another size: the rows are read.
    try FileManager.default.removeItem(at: song)
    try TokyoSample.write(
      [(BNRSample.word(1), [1, 2, 3]), (BNRSample.word(2), [0] + BNRSample.text("a"))], to: song.path)
    #expect(try failureCount() == 1)
    #expect(try BNRStoreReader(path: path).classes.map(\.name) == ["Playlist", "Song"])
    // A transaction that was not finished.
    try bytes.write(to: song)
    try Data([1]).write(to: URL(filePath: path + "/Song.wal"))
    #expect(try failureCount() == 1)
    try FileManager.default.removeItem(atPath: path + "/Song.wal")
    #expect(try failureCount() == 0)
    // Every changed byte of the header and of the records gives an error, or other values.
    let first: Int = bytes[64..<72].reversed().reduce(0) { ($0 << 8) | Int($1) }
    let positions = Array(32..<96) + Array(first..<min(first + 200, bytes.count))
    for position in positions {
      for value in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] = value
        try changed.write(to: song)
        _ = try failureCount()
      }
    }
  }
}
