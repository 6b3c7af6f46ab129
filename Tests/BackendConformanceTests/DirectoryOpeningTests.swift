import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DirectoryOpeningTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("store") }

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ access: KyotoBackend.Access = .write, at path: String? = nil) throws(BackendError) -> KyotoBackend
  {
    var options = KyotoBackend.Options()
    options.access = access
    return try KyotoBackend(.directory(path ?? self.path), options: options)
  }

  @Test func `a store is created in a new or an empty directory`() throws {
    let first = try open()
    #expect(first.openReport.created)
    try first.close()
    try FileManager.default.createDirectory(atPath: directory.path("empty"), withIntermediateDirectories: false)
    let second = try open(at: directory.path("empty"))
    #expect(second.openReport.created)
    try second.close()
    let again = try open(.writeExisting)
    #expect(!again.openReport.created)
    try again.close()
  }

  @Test(arguments: [KyotoBackend.Access.writeExisting, .read])
  func `an opener that may not create a store creates nothing`(_ access: KyotoBackend.Access) throws {
    expectError(.notFound) { _ = try open(access) }
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    expectError(.notFound) { _ = try open(access) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test(arguments: [KyotoBackend.Access.write, .writeExisting, .read])
  func `a file or a directory with foreign files is not a store and is left unchanged`(
    _ access: KyotoBackend.Access
  ) throws {
    try Data("text".utf8).write(to: URL(filePath: path))
    expectError(.notAStore) { _ = try open(access) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("text".utf8))
    let foreign = directory.path("foreign")
    try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
    try Data("text".utf8).write(to: URL(filePath: foreign + "/notes.txt"))
    let before = try listing(of: foreign)
    expectError(.notAStore) { _ = try open(access, at: foreign) }
    #expect(try listing(of: foreign) == before)
  }

  @Test func `a store can be opened after a failed opening`() throws {
    try fillStore()
    let superblock = try file { $0.contains("superblock") }
    let bytes = try Data(contentsOf: superblock)
    try Data(repeating: 0xA5, count: bytes.count).write(to: superblock)
    for _ in 0..<3 { expectError(.damaged) { _ = try open() } }
    try bytes.write(to: superblock)
    try checkStore()
  }

  /// Simulates a power failure during the first commit of a store, which is written directly to the files.
  @Test(arguments: [1, 1 << 20])
  func `leftovers of a lost commit do not reappear in a new file`(_ directThreshold: Int) throws {
    try open().close()
    try Data(repeating: 0xFF, count: 40_000).write(to: URL(filePath: path + "/0001-catalog.kch"))
    var options = KyotoBackend.Options()
    options.directThresholdByteCount = directThreshold
    let names = (0..<8).map { Array("keyspace \($0)".utf8) }
    let backend = try KyotoBackend(.directory(path), options: options)
    for name in names {
      let keyspace = try backend.keyspaceID(of: .keys, named: name)
      try backend.commit { $0.put(name, key: name, in: keyspace) }
      try backend.checkpoint()
    }
    try backend.close()

    let again = try open(.writeExisting)
    for name in names {
      #expect(try again.newest.value(key: name, in: again.keyspaceID(of: .keys, named: name)) == name)
    }
    try again.close()
  }

  @Test func `an error names a missing data file`() throws {
    try fillStore()
    let song = try file { $0.contains("Song") && $0.hasSuffix(".kch") }
    try FileManager.default.removeItem(at: song)
    let error = expectDamage()
    #expect(error?.file?.hasSuffix(song.lastPathComponent) == true, "\(String(describing: error))")
  }

  @Test(arguments: [0, 100, 4096, 20_000])
  func `an error names a truncated data file`(_ byteCount: Int) throws {
    try fillStore()
    let song = try file { $0.contains("Song") && $0.hasSuffix(".kch") }
    let bytes = try Data(contentsOf: song)
    try #require(bytes.count > byteCount)
    try bytes.prefix(byteCount).write(to: song)
    let error = expectDamage()
    #expect(error?.file?.hasSuffix(song.lastPathComponent) == true, "\(String(describing: error))")
  }

  @Test func `a damaged page is found by reading it, and other keyspaces are unharmed`() throws {
    try fillStore()
    let song = try file { $0.contains("Song") && $0.hasSuffix(".kch") }
    var bytes = try Data(contentsOf: song)
    let middle = bytes.count - 3000
    // Damage every byte in a range of 4,096: fewer wrong bits would lose single rows only.
    for offset in middle - 4096..<middle { bytes[offset] ^= 0x5A }
    try bytes.write(to: song)
    let error = expectDamage()
    #expect(error?.file?.hasSuffix(song.lastPathComponent) == true, "\(String(describing: error))")
    #expect(error?.page.map { ((middle - 4096) / 4096...middle / 4096).contains($0) } == true)
    let backend = try open()
    let names = try backend.keyspaceID(of: .keys, named: Array("names".utf8))
    #expect(try backend.allKeys(of: names) == [[1]: [2]])
    try? backend.close()
  }

  @Test func `a store of a newer version is refused with an error that says so`() throws {
    try fillStore()
    let superblock = try file { $0.contains("superblock") }
    var bytes = try Data(contentsOf: superblock)
    for copy in [0, 4096] { bytes[copy + 8] += 1 }
    try bytes.write(to: superblock)
    let before = try listing(of: path)
    expectError(.newerFormat) { _ = try open(.read) }
    #expect(try listing(of: path) == before)
    for access in [KyotoBackend.Access.write, .writeExisting] { expectError(.newerFormat) { _ = try open(access) } }
  }

  @Test(arguments: [0, 8, 12, 16, 35])
  func `one damaged copy of the superblock does no harm`(_ offset: Int) throws {
    try fillStore()
    let superblock = try file { $0.contains("superblock") }
    var bytes = try Data(contentsOf: superblock)
    for copy in [0, 4096] {
      bytes[copy + offset] ^= 0xFF
      try bytes.write(to: superblock)
      try checkStore()
      bytes[copy + offset] ^= 0xFF
    }
  }

  private func fillStore() throws {
    let backend = try open()
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    let names = try backend.keyspaceID(of: .keys, named: Array("names".utf8))
    try backend.commit { batch in
      for row in 1...2000 as ClosedRange<RowID> { batch.put(patternedBytes(row, count: 50), row: row, in: songs) }
      batch.put([2], key: [1], in: names)
    }
    try backend.close()
  }

  private func checkStore() throws {
    let backend = try open()
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    let found = try backend.allRows(of: songs)
    #expect(found.count == 2000 && found.allSatisfy { $0.value == patternedBytes($0.key, count: 50) })
    try backend.close()
  }

  /// Expects opening the store or scanning its songs to throw the code `damaged`, and returns the error.
  private func expectDamage(sourceLocation: SourceLocation = #_sourceLocation) -> BackendError? {
    expectError(.damaged, sourceLocation: sourceLocation) {
      let backend = try open()
      defer { try? backend.close() }
      let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
      _ = try backend.allRows(of: songs)
    }
  }

  private func file(_ isWanted: (String) -> Bool) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let name = names.first(where: isWanted)
    return URL(filePath: path + "/" + (try #require(name, "\(names)")))
  }
}
