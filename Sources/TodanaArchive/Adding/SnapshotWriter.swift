internal import Todana

/// The storing stage of an `add`: stores content and trees in the order of jobs, in commits of limited size.
///
/// Only for the storing thread.
final class SnapshotWriter {
  private static let commitInterval = Duration.seconds(2)

  private let contentStore: ContentStore
  private let ownership: AddOwnership
  private let progress: SharedProgress
  private let tree: TreeWriter
  /// The directory whose content is at the top; nil if there is none.
  private(set) var top: FileEntry?
  /// The entries that were submitted in any order, such as those of a tar.
  private let unordered = UnorderedTreeBuilder()
  /// The rows of stored chunks that wait for the step of their file.
  private var chunks: [RowID] = []
  private var firstChunk = 0
  private var nextJob = 0
  private var lastCommit = ContinuousClock.now

  init(
    _ contentStore: ContentStore, _ ownership: AddOwnership, _ progress: SharedProgress, _ key: ArchiveKey,
    _ compression: Compression
  ) throws {
    self.contentStore = contentStore
    self.ownership = ownership
    self.progress = progress
    tree = try TreeWriter(contentStore, key, compression)
  }

  /// Stores the result of the next job.
  func store(_ result: AddResult) throws {
    nextJob += 1
    switch result {
    case .chunk(let content): chunks.append(try row(of: content))
    case .batch(let steps, let smallFiles, let group):
      let rows = try store(smallFiles, group)
      for step in steps { try take(step, rows) }
      chunks.removeFirst(firstChunk)
      firstChunk = 0
    }
    let isLate = contentStore.pending.byteCount > 0 && lastCommit.duration(to: .now) > Self.commitInterval
    if contentStore.isSaveDue || isLate { try commit() }
  }

  /// Completes the tree; the caller commits the rest.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether nothing is stored.
  ///   - progress: Called for each entry that was submitted in any order; may throw to cancel.
  /// - Returns: The pages of the root.
  /// - Throws: `StoreError`; errors of `progress`.
  func finish(isDryRun: Bool, _ progress: () throws -> Void) throws -> [RowID] {
    if !unordered.isEmpty {
      let counts = try unordered.write(to: isDryRun ? nil : tree) {
        if contentStore.isSaveDue { try commit() }
        try progress()
      }
      self.progress.change { $0.setCounts(counts) }
    }
    return try tree.finish()
  }

  func commit() throws {
    let (contents, smallFiles) = (Array(contentStore.pending.contents), Array(contentStore.pending.smallFiles))
    try contentStore.saveAddition()
    ownership.contents.forget(contents, before: nextJob)
    ownership.smallFiles.forget(smallFiles, before: nextJob)
    lastCommit = .now
  }

  // MARK: Content

  private func row(of content: NamedContent) throws -> RowID {
    if case .row(let row) = content.place { return row }
    if let row = contentStore.pending.row(.content, content.name) { return row }
    guard case .here(let compressed) = content.place else {
      return try Self.found(try contentStore.row(of: StoredContent.self, named: content.name))
    }
    // Another job may have stored the content. Besides, the workers do not find content that has replaced damaged
    // content since they began.
    let mayBeStored = try ownership.contents.isContested(content.name) || !contentStore.damage.isEmpty
    if mayBeStored, let row = try contentStore.row(of: StoredContent.self, named: content.name) { return row }
    let stored = StoredContent()
    stored.name = content.name
    stored.compressed = compressed
    let row = try contentStore.insert(stored)
    progress.change { progress in
      progress.newBytes += Int64(compressed.byteCount)
      progress.storedBytes += Int64(compressed.bytes.count)
    }
    return row
  }

  private func store(_ smallFiles: [NamedSmallFile], _ group: NamedContent?) throws -> [RowID] {
    let groupRow = try group.map { try row(of: $0) } ?? 0
    return try smallFiles.map { file in
      if case .row(let row) = file.place { return row }
      if let row = contentStore.pending.row(.smallFile, file.name) { return row }
      guard case .here(let offset, let byteCount, let incomplete) = file.place else {
        return try Self.found(try contentStore.row(of: StoredSmallFile.self, named: file.name))
      }
      let mayBeStored = try ownership.smallFiles.isContested(file.name) || !contentStore.damage.isEmpty
      if mayBeStored, let row = try contentStore.row(of: StoredSmallFile.self, named: file.name) { return row }
      if let incomplete { try contentStore.noteIncomplete(incomplete) }
      let stored = StoredSmallFile()
      stored.name = file.name
      stored.group = groupRow
      stored.offset = offset
      stored.byteCount = byteCount
      return try contentStore.insert(stored)
    }
  }

  private static func found(_ row: RowID?) throws -> RowID {
    // An earlier job owns the content, and its result is already stored.
    guard let row else { throw ArchiveError(.damaged, "Stored content is missing from the index.") }
    return row
  }

  // MARK: Trees

  private func take(_ step: TreeStep, _ smallFiles: [RowID]) throws {
    switch step {
    case .enter(let entry): tree.enter(entry)
    case .leave: try tree.leave()
    case .drop(let count): firstChunk += count
    case .entry(let file, let source): try tree.append(entry(file, source, smallFiles))
    case .changed(let file, let source, let earlier):
      let entry = entry(file, source, smallFiles)
      note(entry, earlier)
      try tree.append(entry)
    case .top(let entry): top = entry
    case .place(let path, let file, let source):
      let entry = entry(file, source, smallFiles)
      try place(path) { try unordered.place(entry, at: path) }
    case .link(let path, let target, let time): try place(path) { try unordered.link(path, to: target, time: time) }
    }
  }

  /// Counts a file that was read again as changed or unchanged.
  private func note(_ entry: ArchiveEntry, _ earlier: ArchiveEntry) {
    let isUnchanged =
      entry.content == earlier.content && entry.extents == earlier.extents
      && entry.file.byteCount == earlier.file.byteCount && entry.file.hasSameMetadata(as: earlier.file)
    progress.change { progress in
      if isUnchanged { progress.unchangedFiles += 1 } else { progress.changedFiles += 1 }
    }
  }

  private func entry(_ file: FileEntry, _ source: TreeStep.DataSource, _ smallFiles: [RowID]) -> ArchiveEntry {
    var entry = ArchiveEntry(file: file, content: .none)
    switch source {
    case .none: break
    case .known(let content, let extents): (entry.content, entry.extents) = (content, extents)
    case .small(let index, let extents): (entry.content, entry.extents) = (.small(smallFiles[index]), extents)
    case .chunks(let count, let extents):
      (entry.content, entry.extents) = (.chunks(Array(chunks[firstChunk..<firstChunk + count])), extents)
      firstChunk += count
    }
    return entry
  }

  private func place(_ path: [UInt8], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let refusal as UnorderedTreeBuilder.Refusal {
      progress.addFailure("“\(printable(path))” was left out: \(refusal.reason)")
    }
  }
}
