import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ReadOnlyTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("store") }

  init() throws { directory = try TemporaryDirectory() }

  private func openReading() throws(BackendError) -> KyotoBackend {
    var options = KyotoBackend.Options()
    options.access = .read
    return try KyotoBackend(.directory(path), options: options)
  }

  @Test func `reading changes no file, not even its time`() throws {
    let backend = try KyotoBackend(.directory(path))
    let keyspaces = try CrashWorkload.Keyspaces(of: backend)
    for number in 1...80 as ClosedRange<UInt64> {
      try CrashWorkload.commit(number, to: backend, keyspaces, durability: .relaxed)
    }
    try backend.close()
    try checkReading(after: 80)
  }

  @Test func `reading after a kill sees the log's commits and leaves the log as it is`() throws {
    let child = try ChildProcess("commit", path)
    for _ in 0..<70 { _ = child.nextLine() }
    child.kill()
    let before = try listing(of: path)
    let reader = try openReading()
    #expect(reader.openReport.recoveredCommitCount > 0)
    let found = try CrashWorkload.State(of: reader.snapshot(), CrashWorkload.Keyspaces(of: reader))
    #expect(found == CrashWorkload.State(after: found.commitCount))
    try reader.close()
    #expect(try listing(of: path) == before)
    try checkReading(after: found.commitCount)
  }

  private func checkReading(after commitCount: UInt64) throws {
    let before = try listing(of: path)
    for _ in 0..<2 {
      let reader = try openReading()
      let keyspaces = try CrashWorkload.Keyspaces(of: reader)
      #expect(try CrashWorkload.State(of: reader.snapshot(), keyspaces) == CrashWorkload.State(after: commitCount))
      try reader.close()
    }
    #expect(try listing(of: path) == before)
  }

  @Test func `every change is refused`() throws {
    let backend = try KyotoBackend(.directory(path))
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put([1], row: 1, in: songs) }
    try backend.close()
    let reader = try openReading()
    #expect(try reader.keyspaceID(of: .rows, named: Array("Song".utf8)) == songs)
    expectError(.readOnly) { try reader.commit { $0.put([2], row: 2, in: songs) } }
    expectError(.readOnly) { _ = try reader.reserveRowIDs(1, in: songs) }
    expectError(.readOnly) { try reader.checkpoint() }
    #expect(try reader.allRows(of: songs) == [1: [1]])
    try reader.close()
  }

  @Test func `a missing keyspace reads as an empty one`() throws {
    let backend = try KyotoBackend(.directory(path))
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put([1], row: 1, in: songs) }
    try backend.close()
    let before = try listing(of: path)
    let reader = try openReading()
    let playlists = try reader.keyspaceID(of: .rows, named: Array("Playlist".utf8))
    #expect(playlists != songs)
    #expect(try reader.count(of: playlists) == 0)
    #expect(try reader.newest.value(1, in: playlists) == nil)
    #expect(try reader.allRows(of: playlists).isEmpty)
    try reader.close()
    #expect(try listing(of: path) == before)
  }

  @Test func `reading needs no write permission`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    try KyotoBackend(.directory(path)).close()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path + "/" + name)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
    let reader = try ChildProcess("open-as-nobody", path, "read")
    let lines = reader.remainingLines()
    if let reason = lines.first, reason.hasPrefix("skip") { try Test.cancel("\(reason)") }
    #expect(lines == ["open"])
    let writer = try ChildProcess("open-as-nobody", path)
    #expect(writer.remainingLines().first?.hasPrefix("error noPermission: ") == true)
  }

  @Test func `opening a directory that may not be read is a permission error`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    try KyotoBackend(.directory(path)).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
    for access in ["read", "write"] {
      let lines = try ChildProcess("open-as-nobody", path, access).remainingLines()
      if let reason = lines.first, reason.hasPrefix("skip") { try Test.cancel("\(reason)") }
      #expect(lines.first?.hasPrefix("error noPermission: ") == true, "\(lines)")
    }
  }
}

/// Returns the names, sizes and modification times of a directory's files, and the directory's own time.
func listing(of path: String) throws -> [String] {
  let manager = FileManager.default
  return try ([""] + manager.contentsOfDirectory(atPath: path)).map { name in
    var status = stat()
    guard unsafe stat(path + "/" + name, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
    let size = name.isEmpty ? 0 : Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return "\(name) \(size) \(time.tv_sec).\(time.tv_nsec)"
  }.sorted()
}
