import Foundation
import Testing
import Todana

@testable import TodanaArchive

/// Tests of archives made by an attacker.
@Suite struct HostileArchiveTests {
  let scratch: ScratchArchive

  init() throws { scratch = try ScratchArchive() }

  private func entry(
    _ name: String, _ kind: FileKind = .regular, _ content: ArchiveEntry.Content = .none
  ) -> ArchiveEntry {
    ArchiveEntry(
      file: FileEntry(
        name: Array(name.utf8), kind: kind, permissions: 0o644, owner: FileOwner(userID: 0, groupID: 0),
        modificationTime: FileTime(seconds: 1), changeTime: FileTime(seconds: 1),
        identity: FileIdentity(device: 1, inode: 1), linkCount: 1, byteCount: 0),
      content: content)
  }

  private func insertPage(_ entries: [ArchiveEntry]) throws -> RowID {
    var encoder = TreePageEncoder()
    for entry in entries { try encoder.append(entry) }
    return try insertPage(bytes: encoder.finish())
  }

  private func insertPage(bytes: [UInt8]) throws -> RowID {
    let page = StoredTreePage()
    page.name = ContentName(high: 1, low: UInt64.random(in: 0...UInt64.max))
    page.compressed = CompressedBytes(method: .none, byteCount: bytes.count, bytes: bytes)
    let row = try scratch.archive.store.insert(page).rowID
    try scratch.archive.store.saveChanges()
    return row
  }

  private func snapshot(_ pages: [RowID]) throws -> Snapshot {
    let stored = try scratch.archive.insert(
      NewSnapshot(AddOptions(), host: "", paths: []), pages: pages, counts: SnapshotCounts())
    try scratch.archive.store.saveChanges()
    return try Snapshot(stored)
  }

  /// Checks that extracting fails, and makes nothing outside of the target.
  private func expectRefusal(_ snapshot: Snapshot, _ problem: String) throws {
    try? FileManager.default.removeItem(atPath: scratch.directory.path("to"))
    let before = try scratch.directory.names("")
    let progress = try scratch.extract(snapshot, to: "to")
    #expect(progress.counts.failures > 0, "\(problem)")
    #expect(try scratch.directory.names("").filter { $0 != "to" } == before, "\(problem)")
    #expect(try scratch.archive.verify().isSound == false, "\(problem)")
    var failures: [String] = []
    try scratch.archive.list(snapshot, onFailure: { failures.append($0) }) { _ in }
    #expect(!failures.isEmpty, "\(problem)")
  }

  @Test(arguments: ["../x", "a/b", "", ".", "..", "/tmp/x", "x\0y", String(repeating: "n", count: 256)])
  func `a name that is not a single path component is refused`(_ name: String) throws {
    try expectRefusal(snapshot([insertPage([entry(name)])]), name)
    try expectRefusal(snapshot([insertPage([entry(name, .symbolicLink(target: Array("/etc".utf8)))])]), name)
  }

  @Test func `a link and a directory of the same name cannot lead out of the target`() throws {
    try scratch.directory.make("outside")
    let inner = try insertPage([entry("file")])
    let link = entry("a", .symbolicLink(target: scratch.directory.bytes("outside")))
    // The page has the name "a" twice.
    try expectRefusal(snapshot([insertPage([link, entry("a", .directory, .pages([inner]))])]), "twice")
    try expectRefusal(
      snapshot([insertPage([link]), insertPage([entry("a", .directory, .pages([inner]))])]), "twice, in two pages")
    #expect(try scratch.directory.names("outside") == [])
  }

  @Test func `names out of order are refused`() throws {
    try expectRefusal(snapshot([insertPage([entry("b"), entry("a")])]), "order")
  }

  @Test func `a directory that contains itself is refused`() throws {
    let row = try insertPage([entry("x")])
    try expectRefusal(snapshot([insertPage([entry("d", .directory, .pages([row + 1]))])]), "itself")
    let later = try insertPage([entry("d", .directory, .pages([row + 100]))])
    try expectRefusal(snapshot([later]), "later")
  }

  @Test func `values that no file can have are refused`() throws {
    var bad = entry("x")
    bad.file.permissions = 0o17777
    try expectRefusal(snapshot([insertPage([bad])]), "permissions")
    bad = entry("x")
    bad.file.modificationTime.nanoseconds = 1_000_000_000
    try expectRefusal(snapshot([insertPage([bad])]), "nanoseconds")
    bad = entry("x")
    bad.file.byteCount = 10
    bad.extents = [5..<20]
    try expectRefusal(snapshot([insertPage([bad])]), "extents")
  }

  @Test func `missing or short content is a failure of its file only`() throws {
    var short = entry("short", .regular, .chunks([12345]))
    short.file.byteCount = 100
    let snapshot = try snapshot([insertPage([entry("empty"), short])])
    let progress = try scratch.extract(snapshot, to: "to")
    #expect(progress.counts.failures == 1)
    #expect(try scratch.directory.names("to") == ["empty"])
    #expect(try scratch.archive.verify().damagedFiles.map(\.path) == [Array("short".utf8)])
  }

  @Test func `pages of random bytes are refused`() throws {
    var generator = SystemRandomNumberGenerator()
    let sound = try snapshot([insertPage([entry("a"), entry("b", .symbolicLink(target: [1]))])])
    let row = try #require(sound.pages.first)
    let bytes = try scratch.archive.content.page(row)
    for _ in 0..<300 {
      var damaged = bytes
      let position = Int.random(in: 0..<damaged.count, using: &generator)
      damaged[position] = UInt8.random(in: 0...255, using: &generator)
      if Bool.random(using: &generator) { damaged = Array(damaged.prefix(position)) }
      // Decoding must end, and return no more entries than there are bytes.
      do {
        var decoder = try TreePageDecoder(damaged, pageRow: row, after: [])
        var count = 0
        while try decoder.next() != nil { count += 1 }
        #expect(count <= damaged.count)
      } catch {
        #expect(error.code == .damaged || error.code == .newerFormat)
      }
    }
  }

  @Test func `an archive of a newer format, and a store that is no archive, are refused`() throws {
    try scratch.archive.store.writeNamedBuffer(ArchiveHeader.bufferName) { $0.writeUInt8(2) }
    try scratch.archive.store.saveChanges()
    #expect { try scratch.reopen() } throws: { ($0 as? ArchiveError)?.code == .newerFormat }
    let path = scratch.directory.path("store")
    let store = try Store(.directory(path), classes: [])
    try store.writeNamedBuffer("x") { $0.writeUInt8(1) }
    try store.saveChanges()
    try store.close()
    #expect { try Archive(at: path, configuration: StoreConfiguration()) } throws: {
      ($0 as? ArchiveError)?.code == .notAnArchive
    }
    #expect { try Archive(at: path + "-not", configuration: StoreConfiguration()) } throws: {
      ($0 as? ArchiveError)?.code == .notAnArchive
    }
    #expect(!FileManager.default.fileExists(atPath: path + "-not"))
    #expect { try Archive.make(at: path, configuration: StoreConfiguration()) } throws: {
      ($0 as? ArchiveError)?.code == .exists
    }
  }
}
