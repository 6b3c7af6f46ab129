import Foundation
import TestSupport
import Testing
import Todana

/// Copies, series and compaction with the tool.
@Suite struct ToolBackupTests {
  private struct Backup: Decodable {
    let number: Int
    let time: Date
    let commitNumber: CommitNumber
    let newByteCount: Int
    let isReadable: Bool
  }

  @Test(arguments: [false, true]) func `a copy is a complete store`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let copy = made.directory.path("copy")
    #expect(try made.run("backup", made.path, copy).status == 0)
    #expect(try made.run("dump", copy).output == made.run("dump", made.path).output)
    #expect(try made.run("backup", made.path, copy).status == 4)
  }

  @Test func `a copy can have another key, or none`() throws {
    let made = try ToolStore()
    let (locked, plain) = (made.directory.path("locked"), made.directory.path("plain"))
    let run = try made.run("backup", made.path, locked, "--encrypted", "--new-key-file", made.keyFile)
    #expect(run.status == 0)
    #expect(try ToolRun("store", "info", locked).status == 3)
    let dump = try ToolRun("store", "dump", locked, "--key-file", made.keyFile)
    #expect(try dump.lines.dropFirst() == made.run("dump", made.path).lines.dropFirst())
    #expect(try ToolRun("store", "backup", locked, plain, "--decrypted", "--key-file", made.keyFile).status == 0)
    #expect(try ToolRun("store", "dump", plain).lines.dropFirst() == dump.lines.dropFirst())
    #expect(try made.run("backup", made.path, locked, "--encrypted", "--series").status == 2)
    // A copy made without --encrypted would not have the new key.
    let other = made.directory.path("other")
    #expect(try made.run("backup", made.path, other, "--new-key-file", made.keyFile).status == 2)
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test(arguments: [false, true])
  func `a series stores the changes, and each backup can be restored`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let series = made.directory.path("series")
    let first = try made.run("backup", "--series", "--json", made.path, series).document(Backup.self)
    let dump = try made.run("dump", made.path).output
    let store = try made.open()
    try store.insert(Song("another one"))
    try store.saveChanges()
    try store.close()
    let second = try made.run("backup", "--series", "--json", made.path, series).document(Backup.self)
    #expect(first.number == 1 && second.number == 2 && second.commitNumber > first.commitNumber)
    #expect(second.newByteCount < first.newByteCount)
    let listed = try ToolRun("store", "backups", "list", "--json", series).values(Backup.self)
    #expect(listed.map(\.number) == [1, 2] && listed.allSatisfy(\.isReadable))
    #expect(abs(listed[0].time.timeIntervalSinceNow) < 600)
    #expect(try ToolRun("store", "backups", "list", series).lines.count == 3)
    #expect(try ToolRun("store", "backups", "verify", series).status == 0)

    let restored = made.directory.path("restored")
    #expect(try ToolRun("store", "restore", series, restored, "--number", "1").status == 0)
    #expect(try made.run("dump", restored).output == dump)
    #expect(try ToolRun("store", "restore", series, restored).status == 4)
    #expect(try ToolRun("store", "backups", "prune", series, "--keep", "1").status == 0)
    #expect(try ToolRun("store", "backups", "list", "--json", series).values(Backup.self).map(\.number) == [2])
    #expect(try ToolRun("store", "restore", series, made.directory.path("x"), "--number", "1").status == 3)
    #expect(try ToolRun("store", "backups", "prune", series, "--keep", "0").status == 2)
  }

  @Test func `damage in a series is reported`() throws {
    let made = try ToolStore()
    let series = made.directory.path("series")
    #expect(try made.run("backup", "--series", made.path, series).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: series).sorted()
    let sizes = try names.map { name in
      (name, try Data(contentsOf: URL(filePath: series + "/" + name)).count)
    }
    let largest = try #require(sizes.max { $0.1 < $1.1 }?.0)
    var bytes = try Data(contentsOf: URL(filePath: series + "/" + largest))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: series + "/" + largest))
    let run = try ToolRun("store", "backups", "verify", "--json", series)
    #expect(run.status == 1)
    struct Verified: Decodable { let damageCount: Int, isSound: Bool }
    let verified = try run.document(Verified.self)
    #expect(verified.damageCount > 0 && !verified.isSound)
    #expect(try ToolRun("store", "backups", "verify", series).status == 1)
    let path = made.directory.path("x")
    #expect(try ToolRun("store", "restore", series, path).status == 4)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a path without backups exits with 3`() throws {
    let made = try ToolStore()
    for arguments in [["restore", "nowhere", "x"], ["backups", "list", made.path], ["restore", made.path, "x"]] {
      #expect(try ToolRun(["store"] + arguments).status == 3)
    }
  }

  private struct Compaction: Decodable {
    let classes: [String]
  }

  @Test(arguments: [false, true])
  func `compact names the classes whose files became smaller`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let store = try made.open()
    for index in 0..<2000 { try store.insert(Song("song \(index)")) }
    try store.saveChanges()
    for song in try store.fetch(Song.self).dropFirst(20) { try store.delete(song) }
    try store.saveChanges()
    try store.close()
    let dump = try made.run("dump", made.path).lines.dropFirst()
    let run = try made.run("compact", "--json", made.path)
    #expect(run.status == 0)
    #expect(try run.document(Compaction.self).classes == ["Song"])
    #expect(try made.run("dump", made.path).lines.dropFirst() == dump)
    let again = try made.run("compact", made.path)
    #expect(again.status == 0 && again.lines == ["There is no unused space to free."])
  }
}
