internal import Dispatch
internal import Synchronization

/// A scan whose records are tested by several threads, while the caller receives those that meet a condition.
///
/// The threads take turns in reading. The caller receives the chunks in the order of the scan. Each thread reads
/// records into an object of its own, which belongs to a store of its own. Therefore, the condition must not depend on
/// other objects (``ConditionNode/looksAtOtherObjects``).
///
/// Safe to share: the scan is used under `reading`. A slot is used by the thread that fills it, then by the caller; its
/// semaphores separate the two.
final class ParallelScan: @unchecked Sendable {
  /// The number of records that the caller tests alone, before it is worth starting threads.
  static let beginning = 8192

  private let scan: any BackendScan
  private let condition: ConditionNode
  private let seed: WorkerSeed
  private let tableName: String
  private let slots: [Slot]
  private let reading = Mutex(Progress())
  /// Whether the caller needs no more records.
  private let isStopped = Atomic(false)
  private let workers = DispatchGroup()

  private struct Progress {
    var nextSlot = 0
    var isOver = false
  }

  /// A chunk that is passed from a thread to the caller.
  private final class Slot {
    let chunk = RecordChunk()
    /// The positions of the chunk's records that meet the condition.
    var matches: [Int] = []
    /// The errors of records that could not be read or tested, in ascending order of their positions.
    var failures: [(position: Int, error: StoreError)] = []
    /// The error that prevented the chunk from being read or from being tested completely.
    var failure: Failure?
    /// Whether the scan ends with this chunk.
    var isLast = false
    let isFree = DispatchSemaphore(value: 0)
    let isReady = DispatchSemaphore(value: 0)
  }

  private enum Failure {
    case ofStore(StoreError)
    case ofBackend(BackendError)
  }

  /// Starts the threads, which continue the scan from its current place; nil if there is none at the moment.
  init?(_ scan: any BackendScan, of table: ClassTable, in store: Store, condition: ConditionNode) {
    self.scan = scan
    self.condition = condition
    seed = store.workerSeed
    tableName = table.name
    slots = (0..<2 * ThreadPool.usefulCount).map { _ in Slot() }
    for slot in slots { slot.isFree.signal() }
    var isHelped = false
    for _ in 0..<ThreadPool.usefulCount {
      workers.enter()
      let isStarted = ThreadPool.shared.help { [self] in
        work()
        workers.leave()
      }
      guard isStarted else {
        workers.leave()
        break
      }
      isHelped = true
    }
    if !isHelped { return nil }
  }

  /// Calls back for each record that meets the condition, in the order of the scan, until the callback returns false.
  ///
  /// Errors of other threads are reported on the caller's thread.
  ///
  /// - Parameters:
  ///   - store: The caller's store.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - isLeftOut: Tests whether a row is not wanted, so that an error about it is ignored.
  ///   - body: Receives the record; returns false to end the scan.
  /// - Throws: ``StoreError`` of a record, if `onDamage` does not report it; errors of the backend; errors of `body`.
  func forEachMatch(
    translatedBy store: Store, onDamage: DamagePolicy, isLeftOut: (RowID) -> Bool,
    _ body: (RecordChunk.Slice, RecordChunk) throws(StoreError) -> Bool
  ) throws(StoreError) {
    defer { stop() }
    var number = 0
    while true {
      let slot = slots[number % slots.count]
      slot.isReady.wait()
      try store.checkForCancellationOfReader()
      var failures = slot.failures[...]
      /// Handles the errors of the records before a position.
      func handleFailures(before position: Int) throws(StoreError) {
        while let failure = failures.first, failure.position < position {
          failures.removeFirst()
          if !isLeftOut(slot.chunk.slices[failure.position].rowID) { try onDamage.handle(failure.error) }
        }
      }
      for match in slot.matches {
        try handleFailures(before: match)
        let slice = slot.chunk.slices[match]
        if !isLeftOut(slice.rowID), try !body(slice, slot.chunk) { return }
      }
      try handleFailures(before: .max)
      switch slot.failure {
      case .ofStore(let error): throw error
      case .ofBackend(let error): try store.handle(scanError: error, onDamage)
      case nil: break
      }
      if slot.isLast { return }
      slot.isFree.signal()
      number += 1
    }
  }

  private func stop() {
    isStopped.store(true, ordering: .releasing)
    // One thread may be waiting for a slot while it holds the lock.
    for slot in slots { slot.isFree.signal() }
    workers.wait()
  }

  private func work() {
    var looking: Looking?
    let condition = condition.forOtherThread
    while let slot = readOn() {
      if slot.failure == nil, !slot.chunk.slices.isEmpty {
        do throws(StoreError) {
          if looking == nil { looking = try Looking(seed, tableName: tableName) }
          try looking?.look(at: slot.chunk, for: condition, &slot.matches, &slot.failures)
        } catch {
          slot.failure = .ofStore(error)
          slot.isLast = true
        }
      }
      slot.isReady.signal()
    }
  }

  /// Reads the next chunk into a slot; the last slot's chunk is empty.
  ///
  /// - Returns: The slot; nil after the last slot, or if the caller has stopped the scan.
  private func readOn() -> Slot? {
    reading.withLock { progress in
      if progress.isOver || isStopped.load(ordering: .acquiring) { return nil }
      let slot = slots[progress.nextSlot % slots.count]
      progress.nextSlot += 1
      slot.isFree.wait()
      if isStopped.load(ordering: .acquiring) { return nil }
      slot.matches.removeAll(keepingCapacity: true)
      slot.failures.removeAll()
      slot.failure = nil
      do throws(BackendError) {
        try scan.next(into: slot.chunk)
        slot.isLast = slot.chunk.slices.isEmpty
      } catch {
        slot.chunk.removeAll()
        slot.failure = .ofBackend(error)
        slot.isLast = !error.leavesScanUsable
      }
      if slot.isLast { progress.isOver = true }
      return slot
    }
  }

  /// The store and the object that a thread uses to test records.
  private struct Looking: ~Copyable {
    private let store: Store
    private var scratch: ScratchObject

    init(_ seed: WorkerSeed, tableName: String) throws(StoreError) {
      let store = try Store(beside: seed)
      guard let table = store.registry[tableNamed: tableName] else {
        throw StoreError(.unknownClass, "The class of a query is not among those of its store.")
      }
      self.store = store
      scratch = ScratchObject(store, table)
    }

    /// Tests the records of a chunk.
    ///
    /// - Throws: An error that is not about single records.
    mutating func look(
      at chunk: RecordChunk, for condition: ConditionNode, _ matches: inout [Int],
      _ failures: inout [(position: Int, error: StoreError)]
    ) throws(StoreError) {
      for (position, slice) in chunk.slices.enumerated() {
        do throws(StoreError) {
          if try condition.holds(for: scratch.read(slice, in: chunk)) { matches.append(position) }
        } catch {
          guard error.isAboutRecords else { throw error }
          failures.append((position, error))
        }
      }
      try store.end()
    }
  }
}
