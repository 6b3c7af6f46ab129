internal import Foundation
internal import Synchronization
internal import Todana

/// Creates regular files on its own threads while the caller walks the tree.
///
/// Only one thread calls it. That thread must call ``stop()`` in every case, also after an error.
final class FileRestoring: Sendable {
  /// A file to create.
  private struct Item: Sendable {
    let entry: ArchiveEntry
    let path: [UInt8]
    /// The directory; nil in a dry run that would create it.
    let target: TargetDirectory?
    let directory: DirectoryRestoring
    /// Whether a file with the same length and time exists, whose content is compared first.
    let compares: Bool
  }

  /// The results of the files so far.
  struct Outcome: Sendable {
    var progress = ExtractProgress()
    /// The failure messages, in the order of the files.
    var failures: [String] { numberedFailures.sorted { $0.number < $1.number }.map(\.text) }
    fileprivate var numberedFailures: [(number: Int, text: String)] = []
    /// The files and outcomes that ``takeDecided()`` returns.
    fileprivate var decided: [(path: [UInt8], outcome: ExtractOptions.Outcome)] = []
  }

  /// The maximum number of bytes in a batch of files for one thread.
  ///
  /// Neighbouring files usually share a group, which the thread then decompresses only once.
  ///
  /// A batch keeps its directories open.
  private static let batchByteLimit: Int64 = 256 << 10
  private static let batchLimit = 64

  /// The number of threads: one for each active processor.
  static var threadCount: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

  private let limits: DirectoryLimits
  private let notesOutcomes: Bool
  private let queue: WorkQueue<[(number: Int, item: Item)]>
  private let threads = WorkingThreads()
  private let outcome = Mutex(Outcome())
  private let failure = Mutex<(any Error)?>(nil)
  private let batch = Mutex(Batch())

  private struct Batch {
    var items: [(number: Int, item: Item)] = []
    var byteCount: Int64 = 0
    var directoryCount = 0
    var nextNumber = 0

    mutating func takeAll() -> [(number: Int, item: Item)] {
      defer {
        items = []
        byteCount = 0
        directoryCount = 0
      }
      return items
    }
  }

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - backend: The backend of the archive; each thread opens its own store over it.
  ///   - groups: The decompressed groups, shared with the caller.
  ///   - limits: The limits of open directories.
  ///   - isDryRun: Whether files are only compared.
  ///   - notesOutcomes: Whether ``takeDecided()`` is called.
  /// - Throws: ``ArchiveError/Code/noThread``.
  init(
    _ backend: any StoreBackend, _ groups: SharedGroups, _ limits: DirectoryLimits, isDryRun: Bool, notesOutcomes: Bool
  ) throws {
    self.limits = limits
    self.notesOutcomes = notesOutcomes
    queue = WorkQueue(limit: limits.batchCount)
    do {
      for _ in 0..<Self.threadCount {
        try threads.start { [self] in work(backend, groups, isDryRun: isDryRun) }
      }
    } catch {
      stop()
      throw error
    }
  }

  // MARK: The caller

  /// Queues a file to be created, or compared first; waits if the threads have enough work.
  ///
  /// - Throws: The error of a thread that has failed, which stops all threads.
  func add(
    _ entry: ArchiveEntry, path: [UInt8], in target: TargetDirectory?, _ directory: DirectoryRestoring, compares: Bool
  ) throws {
    directory.begin()
    let full = batch.withLock { batch -> [(number: Int, item: Item)]? in
      if batch.items.last?.item.directory !== directory { batch.directoryCount += 1 }
      let item = Item(entry: entry, path: path, target: target, directory: directory, compares: compares)
      batch.items.append((batch.nextNumber, item))
      batch.nextNumber += 1
      batch.byteCount += entry.dataByteCount
      let isFull =
        batch.byteCount >= Self.batchByteLimit || batch.items.count >= Self.batchLimit
        || batch.directoryCount >= limits.batch
      return isFull ? batch.takeAll() : nil
    }
    if let full { try submit(full) }
  }

  /// Waits until all files are created.
  ///
  /// - Parameter tell: Called repeatedly; throws to cancel.
  /// - Throws: The first error of a thread; errors of `tell`.
  func finish(_ tell: () throws -> Void) throws {
    if let rest = batch.withLock({ $0.items.isEmpty ? nil : $0.takeAll() }) { try submit(rest) }
    queue.complete()
    while !threads.wait(within: 0.1) { try tell() }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Stops creating files, and waits for the threads.
  func stop() {
    queue.stop()
    threads.wait()
  }

  var current: Outcome { outcome.withLock { $0 } }

  /// Returns the files whose outcomes were determined since the last call, with the outcomes.
  func takeDecided() -> [(path: [UInt8], outcome: ExtractOptions.Outcome)] {
    outcome.withLock { outcome in
      defer { outcome.decided = [] }
      return outcome.decided
    }
  }

  private func submit(_ items: sending [(number: Int, item: Item)]) throws {
    if !queue.add(items), let error = failure.withLock({ $0 }) { throw error }
  }

  // MARK: The threads

  private func work(_ backend: any StoreBackend, _ groups: SharedGroups, isDryRun: Bool) {
    do {
      let restorer = FileRestorer(try .beside(backend), groups, isDryRun: isDryRun)
      while let items = queue.take() {
        for (number, item) in items {
          try restore(item, number, restorer)
          item.directory.end()
        }
      }
    } catch {
      failure.withLock { $0 = $0 ?? error }
      queue.stop()
    }
  }

  private func restore(_ item: Item, _ number: Int, _ restorer: FileRestorer) throws {
    do {
      func onWriting(_ count: Int) throws {
        outcome.withLock { $0.progress.bytesWritten += Int64(count) }
        if queue.isStopped { throw CancellationError() }
      }
      let result =
        if let target = item.target, item.compares {
          try restorer.compare(item.entry, in: target, onWriting: onWriting)
        } else {
          try restorer.restore(item.entry, in: item.target, onWriting: onWriting)
        }
      outcome.withLock { outcome in
        outcome.progress.add(result.outcome, item.entry.file)
        if item.compares { outcome.progress.comparedFiles += 1 }
        if notesOutcomes { outcome.decided.append((item.path, result.outcome)) }
      }
    } catch {
      guard let text = Extraction.failure(error, item.path) else { throw error }
      outcome.withLock { $0.numberedFailures.append((number, text)) }
    }
  }
}

/// A directory whose files are created by other threads than the one that walks the tree.
///
/// Its metadata are set after its last file, as creating a file changes its modification time.
final class DirectoryRestoring: Sendable {
  private struct State {
    var pendingCount = 0
    /// The directory and its entry, if the walk has left it while files are still pending.
    var left: (target: TargetDirectory, entry: FileEntry)?
  }

  /// Whether an existing directory keeps its metadata.
  private let keepsExisting: Bool
  private let state = Mutex(State())

  init(keepsExisting: Bool = false) { self.keepsExisting = keepsExisting }

  /// Adds a pending file, before it is created.
  func begin() { state.withLock { $0.pendingCount += 1 } }

  /// Removes a pending file that was created or has failed; finishes the directory after the last one.
  func end() {
    let left = state.withLock { state -> (target: TargetDirectory, entry: FileEntry)? in
      state.pendingCount -= 1
      return state.pendingCount == 0 ? state.left.take() : nil
    }
    if let left { left.target.finish(left.entry, keepsExisting: keepsExisting) }
  }

  /// Finishes the directory, or leaves that to the last pending file; called when no more files follow.
  func leave(_ target: TargetDirectory, _ entry: FileEntry) {
    let isComplete = state.withLock { state in
      if state.pendingCount > 0 { state.left = (target, entry) }
      return state.pendingCount == 0
    }
    if isComplete { target.finish(entry, keepsExisting: keepsExisting) }
  }
}
