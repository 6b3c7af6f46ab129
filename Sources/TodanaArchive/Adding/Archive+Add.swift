internal import CFileSystem
public import Foundation
internal import Glibc
internal import Todana

/// The options of a new snapshot: the choice of files, and the ways to read and store them.
public struct AddOptions: Sendable {
  /// The rules that leave files out.
  public var filter = FilterOptions()
  /// The compression; nil uses the archive's.
  public var compression: Compression?
  /// The tags of the snapshot.
  public var tags: [String] = []
  /// The name of the series that the snapshot belongs to.
  ///
  /// Snapshots with a label are retained and compared by the label instead of by their paths.
  public var label: String?
  /// The name of the host; nil uses this machine's name.
  public var host: String?
  /// The time of the snapshot; nil uses the time when reading begins.
  public var time: Date?
  /// Whether files are read even if their path, length, times and inode equal those in an earlier snapshot.
  public var rescans = false
  /// Whether a file with another inode than before may count as unchanged.
  ///
  /// Needed for file systems that assign new inodes each time they are mounted, such as some FUSE and network file
  /// systems.
  public var ignoresInode = false
  /// Whether a file with another change time (ctime) than before may count as unchanged.
  public var ignoresChangeTime = false
  /// Whether ``AddProgress/exclusions`` lists the paths left out, with reasons.
  public var notesExclusions = false
  /// Whether nothing is stored, and files are not read; a descriptor or tar stream is still read to its end.
  public var isDryRun = false

  public init() {}
}

extension Archive {
  /// The result of an `add`.
  public struct Added: Sendable {
    /// The new snapshot; nil after a dry run, or if nothing could be read.
    ///
    /// If nothing could be read, an empty snapshot would count as a good one; see ``AddProgress/hasReadNothing``.
    public let snapshot: Snapshot?
    /// The final progress, with all counts and messages.
    public let progress: AddProgress
  }

  /// Makes a snapshot of paths.
  ///
  /// One thread reads, one thread for each core hashes and compresses, and the calling thread stores. Files that cannot
  /// be read are left out and reported. If the call is interrupted, there is no snapshot. The next call finds the
  /// content stored until then.
  ///
  /// - Parameters:
  ///   - paths: Absolute, or relative to the working directory.
  ///   - options: The rules that leave files out, and the ways to read and store the others.
  ///   - progress: Called a few times a second; may throw to cancel.
  /// - Returns: The snapshot, and the final progress.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` if a path is empty, or if paths would have the same place in the
  ///   snapshot; `StoreError`; errors of `progress`.
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

  /// Makes a snapshot of one file with the content of a descriptor, such as the standard input.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that is read to its end, and not closed.
  ///   - name: The file's name in the snapshot.
  ///   - options: The metadata of the snapshot, and the way to store the content.
  ///   - progress: Called a few times a second, even while waiting for input; may throw to cancel.
  ///   - accepting: Called once all input was read, before the snapshot is made. It may throw to make none, for example
  ///     because the program that wrote the input has failed.
  /// - Returns: The snapshot, and the final progress.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for a name that no file can have; `StoreError`; errors of the
  ///   closures.
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

  /// Makes a snapshot of the files that a function reads and submits on a thread of its own.
  ///
  /// `expected` is the estimated size for progress. `accept` is called once all input was read; if it throws, no
  /// snapshot is made.
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
        // If the pipeline has stopped already, its first error is the one that counts.
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
