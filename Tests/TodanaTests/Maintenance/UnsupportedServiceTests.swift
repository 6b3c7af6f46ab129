import TestSupport
import Testing

@testable import Todana

/// Stores over backends that are not storage engines: they report unsupported services, and work otherwise.
@Suite struct UnsupportedServiceTests {
  private func expectNotSupported(
    _ service: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: StoreError.self, "\(service)", sourceLocation: sourceLocation, performing: body)
    #expect(error?.code == .notSupported, "\(service)", sourceLocation: sourceLocation)
    #expect(error?.backendError?.code == .notSupported, "\(service)", sourceLocation: sourceLocation)
    #expect(error?.message.contains("support \(service)") == true, "\(service)", sourceLocation: sourceLocation)
  }

  @Test func `each service of an engine is refused with one error`() throws {
    let directory = try TemporaryDirectory()
    let store = try Store(backend: FaultyBackend(keyRing: nil), classes: [Song.self])
    let song = Song()
    song.title = "Blue"
    try store.insert(song)
    try store.saveChanges()
    expectNotSupported("backups") { _ = try store.backUp(to: directory.path("copy")) }
    expectNotSupported("backups") { _ = try store.backUp(into: BackupSeries(at: directory.path("series"))) }
    expectNotSupported("backups") { _ = try store.writeBackup { _ in } }
    expectNotSupported("compaction") { _ = try store.compact() }
    expectNotSupported("measuring files") { _ = try store.spaceUse() }
    expectNotSupported("anchors") { _ = try store.anchor() }
    expectNotSupported("digests of records") { _ = try store.acceptContents() }
    let migration = "encrypting or decrypting existing data"
    expectNotSupported(migration) { _ = try store.encrypt(with: .passphrase("a passphrase")) }
    expectNotSupported(migration) { _ = try store.decrypt() }
    expectNotSupported(migration) { _ = try store.resumeMigration() }
    #expect(try store.unfinishedMigration() == nil)
    try store.releaseMemory()
    #expect(try store.verify().isSound)
    #expect(try store.fetch(Song.self).map(\.title) == ["Blue"])
  }
}
