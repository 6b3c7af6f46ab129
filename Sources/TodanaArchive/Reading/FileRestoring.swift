internal import Foundation
internal import Synchronization
internal import Todana

/// Makes regular files on threads of its own, while the caller goes on through the tree.
///
/// One thread calls it, and ends it in any case.
final class FileRestoring: Sendable {
  /// A file to be made.
  private struct Item: Sendable {
    let entry: ArchiveEntry
    let path: [UInt8]
    let target: TargetDirectory
    let directory: DirectoryRestoring
  }

  /// What has become of the files so far.
  struct Outcome: Sendable {
    var fileCount = 0
    var byteCount: Int64 = 0
    var writtenByteCount: Int64 = 0
    /// In the order of the files.
    var failures: [String] { numberedFailures.sorted { $0.number < $1.number }.map(\.text) }
    fileprivate var numberedFailures: [(number: Int, text: String)] = []
  }

  /// Neighbours go to the same thread: they are in one group, which is unpacked once.
  ///
  /// Each batch holds directories open.
  private static let batchByteLimit: Int64 = 256 << 10
  private static let batchLimit = 64
  private static let batchDirectoryLimit = 8

  private let queue = WorkQueue<[(number: Int, item: Item)]>(limit: 4)
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

  /// - Parameters:
  ///   - backend: The archive's store, which each thread opens for itself.
  ///   - groups: Those that the caller has unpacked, too.
  init(_ backend: any StoreBackend, _ groups: SharedGroups) {
    for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) {
      threads.start { [self] in work(backend, groups) }
    }
  }

  // MARK: The caller

  /// Has a file made; waits where much is to be made already.
  ///
  /// - Throws: What a thread has failed with, so that none goes on.
  func add(_ entry: ArchiveEntry, path: [UInt8], in target: TargetDirectory, _ directory: DirectoryRestoring) throws {
    directory.begin()
    let full = batch.withLock { batch -> [(number: Int, item: Item)]? in
      if batch.items.last?.item.directory !== directory { batch.directoryCount += 1 }
      batch.items.append((batch.nextNumber, Item(entry: entry, path: path, target: target, directory: directory)))
      batch.nextNumber += 1
      batch.byteCount += entry.dataByteCount
      let isFull =
        batch.byteCount >= Self.batchByteLimit || batch.items.count >= Self.batchLimit
        || batch.directoryCount >= Self.batchDirectoryLimit
      return isFull ? batch.takeAll() : nil
    }
    if let full { try submit(full) }
  }

  /// Waits until all files are made.
  ///
  /// - Parameter tell: Called now and then.
  /// - Throws: What a thread, or `tell`, has failed with.
  func finish(_ tell: () throws -> Void) throws {
    if let rest = batch.withLock({ $0.items.isEmpty ? nil : $0.takeAll() }) { try submit(rest) }
    queue.complete()
    while !threads.wait(within: 0.1) { try tell() }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Makes no more files, and waits for the threads.
  func stop() {
    queue.stop()
    threads.wait()
  }

  var current: Outcome { outcome.withLock { $0 } }

  private func submit(_ items: sending [(number: Int, item: Item)]) throws {
    if !queue.add(items), let error = failure.withLock({ $0 }) { throw error }
  }

  // MARK: The threads

  private func work(_ backend: any StoreBackend, _ groups: SharedGroups) {
    do {
      let restorer = FileRestorer(try .beside(backend), groups)
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
      _ = try restorer.restore(item.entry, in: item.target) { count in
        outcome.withLock { $0.writtenByteCount += Int64(count) }
        if queue.isStopped { throw CancellationError() }
      }
      outcome.withLock { outcome in
        outcome.fileCount += 1
        outcome.byteCount += item.entry.file.byteCount
      }
    } catch {
      guard let text = Extraction.failure(error, item.path) else { throw error }
      outcome.withLock { $0.numberedFailures.append((number, text)) }
    }
  }
}
