internal import Foundation
public import Todana

/// A directory that holds snapshots of file trees, deduplicated, compressed and encrypted: a Todana store.
///
/// Not thread-safe: only one thread at a time may use it.
public final class Archive {
  /// The permanent settings of a new archive.
  public struct Settings: Sendable {
    public var compression = Compression.standard
    public var chunkSizes = Chunker.Sizes.standard

    public init() {}
  }

  public let path: String
  /// The default compression for added content.
  public let compression: Compression
  let content: ContentStore
  let key: ArchiveKey
  let sizes: Chunker.Sizes

  /// The underlying store, for key management, verification and backups.
  public var store: Store { content.store }

  private init(_ path: String, _ content: ContentStore, _ header: ArchiveHeader) throws {
    self.path = path
    self.content = content
    content.room = DiskRoom(path: path)
    key = header.key
    sizes = header.sizes
    compression = try Compression(header.compression)
  }

  /// Creates an archive: a directory with permissions 0700, which only its owner can read.
  ///
  /// - Parameters:
  ///   - path: A directory that does not exist, is empty, or holds the leftovers of an interrupted call.
  ///   - settings: The settings of the archive, which cannot be changed later.
  ///   - configuration: The configuration of the store, in particular its encryption.
  ///   - makesParents: Whether missing parent directories are created. If false, a missing mount point is an error, so
  ///     the archive is not created on the system disk by mistake.
  /// - Returns: The open archive.
  /// - Throws: ``ArchiveError/Code/exists``; ``ArchiveError/Code/noDirectory``; `StoreError`.
  public static func make(
    at path: String, settings: Settings = Settings(), configuration: StoreConfiguration, makesParents: Bool = false
  ) throws -> Archive {
    try checkPlace(path, makesParents: makesParents, allowsLeftover: true)
    if FileManager.default.fileExists(atPath: path) {
      // Make an existing directory private, too; the store creates a new one with these permissions.
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
    if FileManager.default.fileExists(atPath: path + "/superblock") { try checkUnused(path, configuration) }
    let store = try openStore(path, configuration)
    let header = ArchiveHeader(
      key: try ArchiveKey(), sizes: settings.chunkSizes, compression: settings.compression.description)
    try store.writeNamedBuffer(ArchiveHeader.bufferName) { buffer in header.write(to: &buffer) }
    try store.saveChanges()
    return try Archive(path, ContentStore(store), header)
  }

  /// Opens an archive.
  ///
  /// - Throws: ``ArchiveError/Code/notAnArchive``, ``ArchiveError/Code/newerFormat``; `StoreError` if the store cannot
  ///   be opened, for example because of a wrong passphrase.
  public convenience init(at path: String, configuration: StoreConfiguration) throws {
    // Opening a store would create a missing one.
    guard FileManager.default.fileExists(atPath: path) else {
      throw ArchiveError(.notAnArchive, "“\(path)” does not exist.")
    }
    do {
      guard try !FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
        throw ArchiveError(.notAnArchive, "“\(path)” is not an archive.")
      }
    } catch let error as CocoaError {
      // If permission is missing, opening the store throws the appropriate error.
      if error.code != .fileReadNoPermission { throw ArchiveError(.notAnArchive, "“\(path)” is not an archive.") }
    }
    // Open without the archive's classes: they would add their indexes to a store of another program.
    let plain = try Self.openStore(path, configuration, classes: [])
    // The second store keeps the backend open.
    defer { try? plain.close() }
    guard
      let header = try plain.readNamedBuffer(ArchiveHeader.bufferName, { buffer in try ArchiveHeader(from: &buffer) })
    else { throw ArchiveError(.notAnArchive, "“\(path)” is a store, but not an archive.") }
    let store = try Store(
      backend: plain.backend, classes: ContentStore.classes, configuration: Self.adapted(configuration))
    try self.init(path, ContentStore(store), header)
  }

  private static func openStore(
    _ path: String, _ configuration: StoreConfiguration, classes: [StoredObject.Type] = ContentStore.classes
  ) throws -> Store {
    try Store(.directory(path), classes: classes, configuration: adapted(configuration))
  }

  private static func adapted(_ configuration: StoreConfiguration) -> StoreConfiguration {
    var configuration = configuration
    // Leave the memory to content.
    configuration.tuning.privateLimitByteCount = 8 << 20
    configuration.tuning.limitsMemory = true
    // Repair single wrong bits instead of throwing: restoring files matters more than early notice of failing hardware.
    configuration.repairsFlippedBits = true
    configuration.repairedClasses = Set(
      ContentStore.classes.lazy.filter { $0 != StoredContent.self }.map(\.storedName))
    configuration.tuning.logLimitByteCount = 12 << 20
    // Limit the room more than by default, because the log of a compaction may take about as much in addition.
    configuration.tuning.compactionRoomByteCount = min(
      configuration.tuning.compactionRoomByteCount, 40 << 20)
    // The archive changes loaded objects by `update` only, so the check is not needed.
    configuration.detectsUnannouncedChanges = false
    return configuration
  }

  /// Throws if an archive cannot be created at a path.
  ///
  /// `allowsLeftover`: whether the directory may contain files of an interrupted ``make``.
  package static func checkPlace(
    _ path: String, makesParents: Bool = true, allowsLeftover: Bool = false
  ) throws(ArchiveError) {
    let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
    if let contents {
      let isFree = contents.isEmpty || allowsLeftover && contents.allSatisfy(firstFiles.contains)
      guard isFree, isDirectory(path) else { throw placeIsTaken(path) }
    }
    if contents == nil, FileManager.default.fileExists(atPath: path) {
      throw ArchiveError(.exists, "“\(path)” already exists, and is not a readable directory.")
    }
    let parent = URL(filePath: path).deletingLastPathComponent().path
    if contents == nil, !makesParents, !isDirectory(parent) {
      throw ArchiveError(.noDirectory, "The directory “\(parent)” does not exist: nothing was created.")
    }
  }

  /// Closes the archive, and discards unsaved changes; does nothing if it is closed.
  ///
  /// Unsaved changes exist only after an operation that has thrown.
  public func close() throws { try store.close(discarding: true) }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
  }

  // MARK: Leftovers

  /// The files that an interrupted ``make`` leaves: those of a store that was never closed.
  private static let firstFiles: Set = [
    "lock", "superblock", "superblock.new", "keys", "keys-copy", "keys.new", "log-a", "log-b",
  ]

  private static func placeIsTaken(_ path: String) -> ArchiveError {
    ArchiveError(.exists, "“\(path)” is not an empty directory: nothing was changed.")
  }

  /// Throws if the store at a path contains data or cannot be opened.
  private static func checkUnused(_ path: String, _ configuration: StoreConfiguration) throws {
    do {
      let store = try openStore(path, configuration, classes: [])
      let isUnused = try store.namedBufferNames().isEmpty && store.catalog.allSatisfy { $0.recordCount == 0 }
      try store.close()
      if !isUnused { throw placeIsTaken(path) }
    } catch is StoreError {
      throw placeIsTaken(path)
    }
  }
}

extension Archive {
  /// The identity of the archive's directory; nil if the directory cannot be opened any more.
  var identity: FileIdentity? { try? SourceStart.open(Array(path.utf8)).identity }

  /// Tests whether a file at a path would be in the archive's directory or below it.
  ///
  /// Follows symbolic links in the parent directory of the path. Returns false if that directory cannot be opened.
  public func contains(path: [UInt8]) -> Bool {
    guard let archive = identity, var directory = try? SourceStart.open(SourceStart.split(path).above) else {
      return false
    }
    while directory.identity != archive {
      // The parent of the root is the root itself.
      guard let parent = try? directory.parent(), parent.identity != directory.identity else { return false }
      directory = parent
    }
    return true
  }

  /// Tests whether a directory, which need not exist, is the archive's directory or would be below it.
  func contains(directory: [UInt8]) -> Bool {
    var path = directory
    while (try? SourceStart.open(path)) == nil {
      let above = SourceStart.split(path).above
      guard above != path else { return false }
      path = above
    }
    return contains(path: path + Array("/entry".utf8))
  }
}
