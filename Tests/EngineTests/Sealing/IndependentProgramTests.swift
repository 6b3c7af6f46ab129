import CSealingProbe
import Foundation
import TestSupport
import Testing
import Todana

/// A program that was written from the format documents alone (`Tests/Independent/sealed.py`).
///
/// It reads bytes that the library writes, and the library reads its bytes.
@Suite struct IndependentProgramTests {
  private static let program = Checkout.file("Tests/Independent/sealed.py").path

  /// Runs the program with Debian's Python, for which `Scripts/setup-and-test` installs the required package.
  private static func run(_ arguments: String...) throws -> [String] {
    let child = try ChildProcess(executable: "/usr/bin/python3", [program] + arguments)
    let lines = child.remainingLines()
    #expect(child.waitForExit() == 0)
    return lines
  }

  @Test(arguments: StoreCipher.allCases, [false, true])
  func `an independent program opens our slots, records and named buffers`(
    _ cipher: StoreCipher, afterRotating isRotated: Bool
  ) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    var configuration = StoreConfiguration(encryption: .passphrase("cafe\u{301} au lait"))
    configuration.passphraseCost = 10
    configuration.cipher = cipher
    let store = try Store(.directory(directory.path("s")), classes: [Song.self], configuration: configuration)
    try store.keys.add(.key([UInt8](repeating: 1, count: 16)))
    let song = Song("Blue in Green", seconds: 327)
    let id = try store.insert(song)
    try store.writeNamedBuffer("favourites", version: 9) { $0.writeUInt32(7) }
    try store.saveChanges()
    if isRotated { try store.keys.rotate(keeping: [.passphrase("caf\u{e9} au lait")]) }
    let keys = try store.keys.export().hex
    let number = isRotated ? 2 : 1
    #expect(
      try Self.run("open", keys, "caf\u{e9} au lait").map { $0.prefix(3) }
        == ["1 \(number)", "3 \(number)", "4 \(number)"])

    let chunk = RecordChunk()
    let rows = [id.rowID]
    try store.backend.read(rows: rows.span, of: id.classID, into: chunk)
    let record = unsafe [UInt8](chunk.arena.bytes[chunk.slices[0].value])
    let opened = try Self.run(
      "record", keys, "caf\u{e9} au lait", "\(id.classID.rawValue)", "\(id.rowID)", record.hex)
    // The content is version 2, the title with its length, the seconds, and two optionals that are nil.
    #expect(opened == ["02" + "0d" + Array("Blue in Green".utf8).hex + "47010000" + "0000"])

    let keyspace = try #require(try store.backend.keyspaces().first { $0.kind == .keys })
    let scan = try store.backend.snapshot().scan(keyspace.id)
    try scan.next(into: chunk)
    let slice = try #require(chunk.slices.first)
    let key = unsafe [UInt8](chunk.arena.bytes[slice.key]), buffer = unsafe [UInt8](chunk.arena.bytes[slice.value])
    let lines = try Self.run("buffer", keys, "caf\u{e9} au lait", "\(keyspace.id.rawValue)", "favourites", buffer.hex)
    #expect(lines == [key.hex, "09" + "0a" + Array("favourites".utf8).hex + "07000000"])
    try store.close()
  }

  @Test(arguments: [false, true])
  func `an independent program finds our states consistent with our records`(afterRotating isRotated: Bool) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("s")
    var configuration = StoreConfiguration(encryption: .passphrase("correct horse"))
    configuration.passphraseCost = 10
    var store = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    for index in 0..<9 { try store.insert(Song("song \(index)", seconds: 1)) }
    try store.saveChanges()
    let songs = try store.fetch(Song.self)
    try store.update(songs[3]) { $0.title = "another" }
    try store.delete(songs[5])
    try store.writeNamedBuffer("favourites") { $0.writeInt(7) }
    try store.saveChanges()
    if isRotated {
      try store.keys.rotate(keeping: [.passphrase("correct horse")])
      try store.update(songs[4]) { $0.title = "one more" }
      try store.saveChanges()
    }
    let keys = try store.keys.export().hex
    try store.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: path)
    let bytes = { (name: String) in [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name))) }

    store = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    let keyspaces = try store.backend.keyspaces()
    let song = try #require(keyspaces.first { $0.kind == .rows })
    let chunk = RecordChunk()
    let rows = try store.fetch(Song.self).compactMap { $0.id?.rowID }
    try store.backend.read(rows: rows.span, of: song.id, into: chunk)
    let tokens = zip(rows, chunk.slices).map { row, slice in
      let record = unsafe [UInt8](chunk.arena.bytes[slice.value])
      return "\(row):\(record.suffix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })"
    }
    let newest = try #require(try store.anchor()).commitNumber
    try store.close()
    // Files are created, and replaced, in the order of the keyspaces.
    let numbers = files.compactMap { $0.hasSuffix(".kch") ? UInt32($0.dropLast(4)) : nil }.sorted()
    try #require(numbers.count == keyspaces.count)
    let lines = try Self.run(
      "states", keys, "correct horse", try bytes("0000-states.tds").hex, try bytes("commits").hex,
      zip(keyspaces, numbers).map { "\($0.id.rawValue):\($1)" }.joined(separator: ","), "\(song.id.rawValue)",
      tokens.joined(separator: ","))
    try #require(lines.count == 4)
    #expect(
      lines[0].hasPrefix("\(newest) True 0 \(isRotated ? 2 : 1) "),
      "the newest commit, which closed the session, in the current epoch")
    #expect(lines[1...] == ["True", "True", "8 True"])
  }

  @Test func `we open the slots and records of an independent program`() throws {
    let lines = try Self.run("make", "correct horse", "5", "258", "Blue in Green")
    try #require(lines.count == 2)
    let file = try KeyFileInMemory(parsing: [UInt8](hex: lines[0]))
    #expect(file.bytes.hex == lines[0])
    #expect(throws: KeyFileInMemory.Failure(code: TDS_WRONG_SECRET)) { try file.unlock(.passphrase("wrong horse")) }
    _ = try file.unlock(.passphrase("correct horse"))
    #expect(try file.epoch() == 300)
    let envelope = [UInt8](hex: lines[1])
    #expect(try file.open(envelope, keyspace: 5, row: 258) == Array("Blue in Green".utf8))
    for (keyspace, row) in [(4, 258), (5, 257), (5, 2)] as [(UInt32, UInt64)] {
      #expect(try file.open(envelope, keyspace: keyspace, row: row) == nil)
    }
    for bit in 0..<envelope.count * 8 {
      var changed = envelope
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try file.open(changed, keyspace: 5, row: 258) == nil)
    }
  }
}
