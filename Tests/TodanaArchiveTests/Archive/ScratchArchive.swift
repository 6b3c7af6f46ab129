import Foundation
import Todana

@testable import TodanaArchive

/// An archive in its own scratch directory, which is removed with this object.
final class ScratchArchive {
  let directory: ScratchTree
  var path: String { directory.path("archive") }
  private(set) var archive: Archive

  /// Chunk sizes of a few kilobytes, so that small files have several chunks.
  static let smallChunks = Chunker.Sizes(minimum: 1 << 10, wanted: 4 << 10, maximum: 16 << 10)

  static let configuration = StoreConfiguration(encryption: .key([UInt8](repeating: 7, count: 16)))

  static var readingConfiguration: StoreConfiguration {
    var configuration = configuration
    configuration.access = .read
    return configuration
  }

  init(chunkSizes: Chunker.Sizes = .standard, configuration: StoreConfiguration = ScratchArchive.configuration) throws {
    directory = try ScratchTree(isInMemory: true)
    var settings = Archive.Settings()
    settings.chunkSizes = chunkSizes
    archive = try Archive.make(at: directory.path("archive"), settings: settings, configuration: configuration)
  }

  func reopen(_ access: KyotoBackend.Access = .write) throws {
    try archive.close()
    let configuration = access == .read ? Self.readingConfiguration : Self.configuration
    archive = try Archive(at: path, configuration: configuration)
  }

  /// Adds a file or directory from the archive's scratch directory as a snapshot.
  @discardableResult
  func add(_ name: String, options: AddOptions = AddOptions()) throws -> Archive.Added {
    try archive.add([directory.bytes(name)], options: options)
  }

  @discardableResult
  func extract(
    _ snapshot: Snapshot?, to name: String, options: ExtractOptions = ExtractOptions()
  ) throws -> ExtractProgress {
    guard let snapshot else { throw ArchiveError(.snapshotNotFound, "nothing was added") }
    return try archive.extract(snapshot, to: directory.bytes(name), options: options)
  }

  /// Returns the path to which an added directory is restored below a target directory.
  func restored(_ name: String, in target: String) -> String { "\(directory.path(target))\(directory.path(name))" }

  /// Returns the path that a file in an added directory has in the snapshot.
  func stored(_ name: String) -> [UInt8] { Array(directory.path(name).utf8.dropFirst()) }

  func pages(_ name: String, of added: Archive.Added) throws -> [RowID] {
    guard let snapshot = added.snapshot, case .pages(let pages) = try archive.entry(stored(name), of: snapshot).content
    else { throw ArchiveError(.fileNotFound, "\(name) is no directory") }
    return pages
  }

  func rowCount(_ type: StoredObject.Type) throws -> Int { try archive.store.catalog[type]?.recordCount ?? 0 }
}
