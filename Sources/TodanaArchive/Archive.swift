internal import Foundation
public import Todana

/// A directory that holds snapshots of file trees, deduplicated, compressed and encrypted: a Todana store.
///
/// One thread at a time.
public final class Archive {
  /// What a new archive is made with.
  public struct Settings: Sendable {
    public var compression = Compression.standard
    public var chunkSizes = Chunker.Sizes.standard

    public init() {}
  }

  public let path: String
  /// What content is compressed with that is added without saying.
  public let compression: Compression
  let content: ContentStore
  let key: ArchiveKey
  let sizes: Chunker.Sizes

  /// The store below: for its keys, its verification, its backups.
  public var store: Store { content.store }

  private init(_ path: String, _ content: ContentStore, _ header: ArchiveHeader) throws {
    self.path = path
    self.content = content
    content.room = DiskRoom(path: path)
    key = header.key
    sizes = header.sizes
    compression = try Compression(header.compression)
  }

  /// Makes an archive, which only its owner may read: a directory with permissions 0700.
  ///
  /// - Parameters:
  ///   - path: A directory that does not exist, is empty, or has what an interrupted call has left.
  ///   - settings: Of the archive, for good.
  ///   - configuration: Encryption, above all.
  ///   - makesParents: Whether directories on the way are made. Without it, an archive is not made on the disk of the
  ///     system where another one was to be mounted.
  /// - Returns: The archive, open.
  /// - Throws: ``ArchiveError/Code/exists``; ``ArchiveError/Code/noDirectory``; `StoreError`.
  public static func make(
    at path: String, settings: Settings = Settings(), configuration: StoreConfiguration, makesParents: Bool = false
  ) throws -> Archive {
    try checkPlace(path, makesParents: makesParents, allowsLeftover: true)
    if FileManager.default.fileExists(atPath: path) {
      // A directory that is made is for its owner alone, too.
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
  /// - Throws: ``ArchiveError/Code/notAnArchive``, ``ArchiveError/Code/newerFormat``; `StoreError` where the store cannot
  ///   be opened, with a wrong passphrase for example.
  public convenience init(at path: String, configuration: StoreConfiguration) throws {
    // A store is made where there is none.
    guard FileManager.default.fileExists(atPath: path) else {
      throw ArchiveError(.notAnArchive, "There is no “\(path)”.")
    }
    do {
      guard try !FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
        throw ArchiveError(.notAnArchive, "“\(path)” is no archive.")
      }
    } catch let error as CocoaError {
      // Opening the store reports what is not permitted.
      if error.code != .fileReadNoPermission { throw ArchiveError(.notAnArchive, "“\(path)” is no archive.") }
    }
    // Without the archive's classes: another program's store must not get indexes of theirs.
    let plain = try Self.openStore(path, configuration, classes: [])
    // The other store of the backend keeps that open.
    defer { try? plain.close() }
    guard
      let header = try plain.readNamedBuffer(ArchiveHeader.bufferName, { buffer in try ArchiveHeader(from: &buffer) })
    else { throw ArchiveError(.notAnArchive, "“\(path)” is a store, but no archive.") }
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
    // Memory is for content.
    configuration.backendOptions.privateLimitByteCount = 8 << 20
    configuration.backendOptions.limitsMemory = true
    // Who keeps an archive would rather have its files than be told at once of a bit.
    configuration.backendOptions.repairsFlippedBits = true
    configuration.backendOptions.repairedClasses = Set(
      ContentStore.classes.lazy.filter { $0 != StoredContent.self }.map(\.storedName))
    configuration.backendOptions.logLimitByteCount = 12 << 20
    // The log takes about as much again.
    configuration.backendOptions.compactionRoomByteCount = min(
      configuration.backendOptions.compactionRoomByteCount, 40 << 20)
    // Nothing is written back to an object that was read.
    configuration.detectsUnannouncedChanges = false
    return configuration
  }

  /// Throws if an archive cannot be made at a path.
  ///
  /// `allowsLeftover`: whether files of an interrupted ``make`` may be there.
  package static func checkPlace(
    _ path: String, makesParents: Bool = true, allowsLeftover: Bool = false
  ) throws(ArchiveError) {
    let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
    if let contents {
      let isFree = contents.isEmpty || allowsLeftover && contents.allSatisfy(firstFiles.contains)
      guard isFree, isDirectory(path) else { throw placeIsTaken(path) }
    }
    if contents == nil, FileManager.default.fileExists(atPath: path) {
      throw ArchiveError(.exists, "“\(path)” is there already, and is no directory that can be read.")
    }
    let parent = URL(filePath: path).deletingLastPathComponent().path
    if contents == nil, !makesParents, !isDirectory(parent) {
      throw ArchiveError(.noDirectory, "There is no directory “\(parent)”: nothing was made.")
    }
  }

  /// Closes the archive; calling it again does nothing.
  ///
  /// An operation that failed has told so, and what it left unsaved is given up.
  public func close() throws { try store.close(discarding: true) }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
  }

  // MARK: Leftovers

  /// The files of a store that has never been closed, as an interrupted ``make`` leaves it.
  private static let firstFiles: Set = [
    "lock", "superblock", "superblock.new", "keys", "keys-copy", "keys.new", "log-a", "log-b",
  ]

  private static func placeIsTaken(_ path: String) -> ArchiveError {
    ArchiveError(.exists, "“\(path)” is not an empty directory: nothing was changed.")
  }

  /// Throws if the store at a path holds anything, or cannot be opened.
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
  /// The archive's own directory; nil if it cannot be read any more.
  var identity: FileIdentity? { try? SourceStart.open(Array(path.utf8)).identity }

  /// Whether a file at a path would be in the archive's own directory, or below it.
  ///
  /// Links in the directory of the path are followed. False if that directory cannot be opened.
  public func contains(path: [UInt8]) -> Bool {
    guard let archive = identity, var directory = try? SourceStart.open(SourceStart.split(path).above) else {
      return false
    }
    while directory.identity != archive {
      // The root is its own parent.
      guard let parent = try? directory.parent(), parent.identity != directory.identity else { return false }
      directory = parent
    }
    return true
  }

  /// Whether a directory, which need not be there yet, is the archive's own, or would be in it.
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
