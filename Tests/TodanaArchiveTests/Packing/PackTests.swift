// Tests the bytes of the pack format, the rejection of invalid packs, and that tar can read packs.
import Foundation
import Glibc
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

@Suite struct PackTests {
  let scratch: ScratchArchive
  var directory: ScratchTree { scratch.directory }

  init() throws {
    scratch = try ScratchArchive()
    try directory.make("tree")
    try directory.write(String(repeating: "some text ", count: 500), to: "tree/file")
    try scratch.add("tree")
    // Closes the archive, which removes its log.
    try scratch.reopen(.read)
  }

  private func pack() throws -> [UInt8] {
    let path = directory.path("pack-\(UUID().uuidString)")
    try scratch.archive.pack(toFile: Array(path.utf8))
    return try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  /// Unpacks bytes and checks that a failure leaves no file.
  private func unpack(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: directory.path("input")))
    let file = unsafe open(directory.path("input"), O_RDONLY)
    defer { close(file) }
    do {
      try Archive.unpack(from: file, to: directory.path("copy"))
    } catch {
      #expect(try !directory.names(".").contains { $0.hasPrefix("copy") })
      throw error
    }
  }

  /// Returns a pack with the given members and valid checksums.
  private func pack(
    _ members: [(name: String, content: [UInt8])], files: Int? = nil, bytes: Int? = nil, seconds: Int64 = 1
  ) throws -> [UInt8] {
    let path = directory.path("hostile")
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    var writer = try PackWriter(to: DescriptorOutput(file, name: []), seconds: seconds)
    let summary = PackSummary(
      storeID: StoreID(high: 1, low: 2), commitNumber: 3, date: Date(), fileCount: files ?? members.count,
      byteCount: Int64(bytes ?? members.reduce(0) { $0 + $1.content.count }))
    try writer.add(PackFormat.summaryName, Array(summary.text.utf8))
    for (name, content) in members { try writer.add(name, content) }
    try writer.finish()
    return try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  private func code(_ bytes: [UInt8]) throws -> ArchiveError.Code? {
    let error = #expect(throws: (any Error).self) { try unpack(bytes) }
    if let error = error as? ArchiveError { return error.code }
    #expect((error as? StoreError)?.code == .damagedRecord, "\(String(describing: error))")
    return nil
  }

  @Test func `a pack has the documented format`() throws {
    let commit = try scratch.archive.store.anchor()?.commitNumber
    let pack = try pack()
    let header = try #require(PackHeader(TarBlock(Array(pack[..<512]))))
    #expect(header.name == "todana-pack" && abs(Double(header.seconds) - Date().timeIntervalSince1970) < 600)
    let text = String(decoding: pack[512..<512 + Int(header.byteCount)], as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines[0] == "Todana pack 1" && lines[1] == "store \(scratch.archive.store.backend.storeID)")
    #expect(lines[2] == "commit \(commit.map { "\($0)" } ?? "?")" && text.last == "\n" && lines.count == 5)
    // The values are those of docs/formats/pack.md.
    let example = try #require(PackHeader(name: "archive/superblock", byteCount: 8192, seconds: 1_795_000_000).block)
    let fields = [0, 100, 124, 136, 148, 156, 257, 345].map { start in
      String(decoding: example.bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
    }
    #expect(
      fields == ["superblock", "0000600", "00000020000", "15277303300", "012662", "0", "ustar", "archive"])
    #expect(pack.suffix(1024).allSatisfy { $0 == 0 } && pack.count % 512 == 0)
    try unpack(pack)
    try directory.write("", to: "input")
  }

  /// Flips one bit in each byte of headers, texts and padding, and in a sample of the remaining bytes.
  @Test func `each flipped bit of a pack is detected`() throws {
    let pack = try pack()
    for place in 0..<pack.count
    where place < 1600 || place >= pack.count - 1100 && place % 7 == 0 || place % 6007 == 0 {
      var damaged = pack
      damaged[place] ^= 1 << UInt8.random(in: 0..<8)
      _ = try code(damaged)
    }
  }

  @Test func `a truncated pack is refused`() throws {
    let pack = try pack()
    for count in Set(stride(from: 0, to: pack.count, by: 4001)).union(pack.count - 20..<pack.count) {
      #expect(try code(Array(pack[..<count])) == (count < 12 ? .notAPack : .damaged), "\(count) of \(pack.count)")
    }
  }

  @Test func `names that lead elsewhere, or belong to no store, are refused`() throws {
    for name in [
      "archive/..", "archive/../x", "archive/a/b", "../superblock", "/superblock", "superblock", "archive/lock",
      "archive//superblock", "archive/keys.new", "archive/letter", "archive/0001-\u{E9}.kch", "archive/1-x.kch",
      "SHA256SUMS", "todana-pack",
    ] {
      // Some of these names do not fit in a header.
      guard let bytes = try? pack([(name, [1])]) else { continue }
      _ = try code(bytes)
    }
    #expect(PackHeader(name: "archive/", byteCount: 0, seconds: 0).block == nil)
    #expect(try code(pack([("archive/commits", [1]), ("archive/commits", [2])])) == nil)
    // A directory with valid names is not yet a store.
    #expect(try code(pack([("archive/commits", [1])])) == nil)
    #expect(try code(pack([])) == nil)
    #expect(!FileManager.default.fileExists(atPath: directory.path("x")))
  }

  @Test func `a pack that differs from its own description is refused`() throws {
    let members = [("archive/commits", [1, 2, 3] as [UInt8]), ("archive/superblock", [])]
    #expect(try code(pack(members, files: 1)) == .damaged)
    #expect(try code(pack(members, files: 3)) == .damaged)
    #expect(try code(pack(members, files: 5000)) == .damaged)
    #expect(try code(pack(members, bytes: 2)) == nil)
    #expect(try code(pack(members, bytes: 4)) == nil)
    #expect(try code(pack(members, bytes: Int.max)) == nil)
    // The length is the largest possible one, but no data follows.
    var huge = try pack([("archive/commits", [])], bytes: Int.max)
    huge.replaceSubrange(
      1024..<1536, with: try #require(PackHeader(name: "archive/commits", byteCount: .max, seconds: 1).block).bytes)
    #expect(try code(huge) == .damaged)
    // The members are from two packs.
    let (one, two) = (try pack(members, seconds: 1), try pack(members, seconds: 2))
    #expect(try code(Array(one[..<1024] + two[1024...])) == .damaged)
  }

  @Test func `tar reads lengths that do not fit into octal digits`() throws {
    let byteCount = 9 << 30
    let block = try #require(PackHeader(name: "archive/0002.kch", byteCount: Int64(byteCount), seconds: 5).block)
    #expect(PackHeader(block)?.byteCount == Int64(byteCount))
    let path = directory.path("large.tar")
    try Data(block.bytes).write(to: URL(filePath: path))
    #expect(unsafe truncate(path, off_t(512 + byteCount + 1024)) == 0)
    let listed = String(decoding: try Command.run("tar", ["-tvf", path]), as: UTF8.self)
    #expect(listed.contains(" \(byteCount) ") && listed.contains("archive/0002.kch"))
    for place in 124..<136 {
      var other = block
      other.bytes[place] ^= 1
      #expect(PackHeader(other) == nil)
    }
  }

  @Test func `foreign files in the archive's directory are not packed`() throws {
    try directory.write("mine", to: "archive/notes")
    try unpack(pack())
    #expect(try !directory.names("copy").contains("notes") && directory.names("copy").contains("superblock"))
  }

  @Test func `a pack has one state of the archive while files are added to it`() throws {
    try scratch.reopen()
    let before = try scratch.archive.snapshots().count
    let path = directory.path("meanwhile")
    var isAdded = false
    try scratch.archive.pack(toFile: Array(path.utf8)) { progress in
      guard !isAdded, progress.doneByteCount > 0 else { return }
      isAdded = true
      try directory.write("more", to: "tree/more")
      try scratch.add("tree")
    }
    #expect(try isAdded && scratch.archive.snapshots().count == before + 1)
    try unpack([UInt8](Data(contentsOf: URL(filePath: path))))
    let copy = try Archive(at: directory.path("copy"), configuration: ScratchArchive.configuration)
    #expect(try copy.snapshots().count == before && copy.verify().isSound)
    try copy.close()
  }

  @Test func `an interrupted pack or unpack leaves nothing`() throws {
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      try scratch.archive.pack(toFile: Array(directory.path("ended").utf8)) { _ in throw Enough() }
    }
    #expect(try !directory.names(".").contains { $0.hasPrefix("ended") })
    let pack = try pack()
    try Data(pack).write(to: URL(filePath: directory.path("input")))
    let file = unsafe open(directory.path("input"), O_RDONLY)
    defer { close(file) }
    #expect(throws: Enough.self) {
      try Archive.unpack(from: file, to: directory.path("copy")) { if $0.doneByteCount > 50_000 { throw Enough() } }
    }
    #expect(try !directory.names(".").contains { $0.hasPrefix("copy") })
  }
}
