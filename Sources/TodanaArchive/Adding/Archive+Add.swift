internal import CFileSystem
public import Foundation
internal import Glibc
internal import Todana

/// The options of a new snapshot: which files it has, and how they are read and stored.
public struct AddOptions: Sendable {
  public var filter = FilterOptions()
  /// nil: what the archive was made with.
  public var compression: Compression?
  public var tags: [String] = []
  /// A name for the series of snapshots, which are kept and compared by it instead of by their paths.
  public var label: String?
  /// nil: this machine's name.
  public var host: String?
  /// nil: when the walk begins.
  public var time: Date?
  /// Whether files are read that an earlier snapshot has unchanged: with the same path, length, times and inode.
  public var rescans = false
  /// Whether a file with another inode than before may be unchanged: for file systems that give new ones each time they
  /// are mounted, such as some of FUSE and of networks.
  public var ignoresInode = false
  /// Whether a file with another time of change (ctime) than before may be unchanged.
  public var ignoresChangeTime = false
  /// Whether ``AddProgress/exclusions`` tells what is left out, and why.
  public var notesExclusions = false
  /// Nothing is stored; files are not read.
  public var isDryRun = false

  public init() {}
}

extension Archive {
  /// The result of an `add`.
  public struct Added: Sendable {
    /// nil after a dry run, and where none of the paths could be read: an empty snapshot would pass for one that is not.
    public let snapshot: Snapshot?
    public let progress: AddProgress
  }

  /// Makes a snapshot of paths.
  ///
  /// One thread reads, as many as there are cores name and compress, and the caller's stores. What cannot be read is left
  /// out and reported. An interrupted call leaves content that the next one need not store again, and no snapshot.
  ///
  /// - Parameters:
  ///   - paths: Absolute, or relative to the working directory; see ``AddOptions`` for what is left out.
  ///   - options: The files that are left out, and how the others are stored.
  ///   - progress: Called a few times a second; throws to end it all.
  /// - Returns: The snapshot, and what was done.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for paths that cannot be together; `StoreError`; what `progress` throws.
  public func add(
    _ paths: [[UInt8]], options: AddOptions = AddOptions(), progress: (AddProgress) throws -> Void = { _ in }
  ) throws -> Added {
    _ = try SourceRoots(paths)
    let new = NewSnapshot(
      options, host: Self.host(options), paths: paths, workingDirectory: AbsolutePath.base(of: paths) ?? [])
    let parent = try parent(of: new)
    let identity = identity
    return try makeSnapshot(new, options, expected: parent?.counts, progress) { builder, shared, content in
      try SourceReader(
        builder, options, shared, archive: identity,
        parent: ParentCursor(parent, of: content, for: new),
        ChangeDetection(options, earlier: parent)
      )
      .run(SourceRoots(paths))
    }
  }

  /// Makes a snapshot of one file, whose content is what a descriptor gives, such as the standard input.
  ///
  /// - Parameters:
  ///   - descriptor: Read to its end, and not closed.
  ///   - name: The file's name in the snapshot.
  ///   - options: The metadata of the snapshot, and how the content is stored.
  ///   - progress: Called a few times a second, also while there is nothing to read; throws to end it all.
  ///   - accepting: Called once everything was read, before the snapshot is made; throws to make none, if the program
  ///     that wrote the content has failed for example.
  /// - Returns: The snapshot, and what was done.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for a name that no file can have; `StoreError`; what the closures
  ///   throw.
  public func add(
    descriptor: CInt, name: [UInt8], options: AddOptions = AddOptions(),
    progress: (AddProgress) throws -> Void = { _ in }, accepting: (AddProgress) throws -> Void = { _ in }
  ) throws -> Added {
    guard FileName.isStep(name) else {
      throw ArchiveError(.invalidArgument, "“\(printable(name))” cannot be the name of a file.")
    }
    let now = FileTime(seconds: Int64((options.time ?? Date()).timeIntervalSince1970))
    let entry = FileEntry(
      name: name, kind: .regular, permissions: 0o600, owner: OwnerNames().owner(userID: getuid(), groupID: getgid()),
      modificationTime: now, changeTime: now, identity: FileIdentity(device: 0, inode: 0), linkCount: 1, byteCount: 0)
    let new = NewSnapshot(options, host: Self.host(options), paths: [name])
    return try makeSnapshot(new, options, progress, accepting) { builder, shared, content in
      try SourceReader(
        builder, options, shared, archive: nil, parent: ParentCursor(nil, of: content, for: new),
        ChangeDetection(options, earlier: nil)
      )
      .run(stream: descriptor, entry)
    }
  }

  static func host(_ options: AddOptions) -> String { options.host ?? ProcessInfo.processInfo.hostName }

  /// Makes a snapshot of what a function reads, on a thread of its own, and passes on.
  ///
  /// `expected`: what it may come to, for progress. `accept` is called once everything was read; throws to make no
  /// snapshot.
  func makeSnapshot(
    _ new: NewSnapshot, _ options: AddOptions, expected: SnapshotCounts? = nil,
    _ progress: (AddProgress) throws -> Void, _ accept: (AddProgress) throws -> Void = { _ in },
    _ read: @escaping @Sendable (BatchBuilder, SharedProgress, ContentStore) throws -> Void
  ) throws -> Added {
    if !options.isDryRun { try content.buildIndexes { try progress(AddProgress()) } }
    let pipeline = AddPipeline()
    let shared = SharedProgress()
    shared.change { $0.expected = expected }
    let ownership = AddOwnership()
    let compression = options.compression ?? self.compression
    let (key, backend) = (key, store.backend)
    let chunker = try key.makeChunker(sizes)
    let threads = WorkingThreads()
    defer { threads.wait() }
    defer { pipeline.stop() }
    try threads.start {
      do {
        let builder = BatchBuilder(pipeline, chunker)
        try read(builder, shared, .beside(backend))
        try builder.finish()
      } catch {
        // If the pipeline has stopped already, its first error counts.
        pipeline.stop(error)
      }
    }
    for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) {
      try threads.start {
        do {
          try AddWorker(pipeline, ownership, .beside(backend), key, compression).run()
        } catch {
          pipeline.stop(error)
        }
      }
    }
    let writer = try SnapshotWriter(content, ownership, shared, key, compression)
    do {
      var lastProgress = ContinuousClock.now
      func tell() throws {
        guard lastProgress.duration(to: .now) > .milliseconds(100) else { return }
        try progress(shared.value)
        lastProgress = .now
      }
      try saveResults(of: pipeline, with: writer, tell)
      try accept(shared.value)
      if shared.value.hasReadNothing {
        content.discardChanges()
        return Added(snapshot: nil, progress: shared.value)
      }
      let pages = try writer.finish(isDryRun: options.isDryRun, tell)
      try progress(shared.value)
      if options.isDryRun { return Added(snapshot: nil, progress: shared.value) }
      var new = new
      new.top = writer.top
      let stored = try insert(new, pages: pages, counts: shared.value.counts)
      try writer.commit()
      return Added(snapshot: try Snapshot(stored), progress: shared.value)
    } catch {
      content.discardChanges()
      throw error
    }
  }

  private func saveResults(of pipeline: AddPipeline, with writer: SnapshotWriter, _ tell: () throws -> Void) throws {
    while true {
      switch try pipeline.next(within: 0.1) {
      case .result(let result): try writer.store(result)
      case .nothing: break
      case .end: return
      }
      try tell()
    }
  }
}
