internal import Dispatch
internal import Foundation
internal import Synchronization

/// A scan whose records several threads look at, whether they meet a condition, while the caller takes those that do.
///
/// Threads take turns in reading; the chunks come to the caller in the order of the scan. Each thread reads records into
/// an object of its own, of a store of its own beside the caller's, so the condition must not depend on other objects
/// (``ConditionNode/looksAtOtherObjects``).
///
/// Safe to share: the scan is used under `reading`; a slot by the thread that fills it, then by the caller, as its
/// semaphores say.
final class ParallelScan: @unchecked Sendable {
  /// Records that are looked at by the caller before it is worth calling for others.
  static let beginning = 8192

  private let scan: any BackendScan
  private let condition: ConditionNode
  private let seed: WorkerSeed
  private let type: StoredObject.Type
  private let slots: [Slot]
  private let reading = Mutex(Progress())
  /// Whether the caller wants no more.
  private let isStopped = Atomic(false)
  private let workers = DispatchGroup()

  private struct Progress {
    var nextSlot = 0
    var isOver = false
  }

  /// A chunk on its way.
  private final class Slot {
    let chunk = RecordChunk()
    /// Those of the chunk's records that meet the condition.
    var matches: [Int] = []
    /// What came after these.
    var failure: Failure?
    let isFree = DispatchSemaphore(value: 0)
    let isReady = DispatchSemaphore(value: 0)
  }

  private enum Failure {
    case ofStore(StoreError)
    case ofBackend(BackendError)
  }

  /// How many threads it is worth having; 1: only the caller's.
  static let threadCount = min(ProcessInfo.processInfo.activeProcessorCount, 8)

  /// Begins to read on.
  init(_ scan: any BackendScan, of table: ClassTable, in store: Store, condition: ConditionNode) {
    self.scan = scan
    self.condition = condition
    seed = store.workerSeed
    type = table.type
    slots = (0..<2 * Self.threadCount).map { _ in Slot() }
    for slot in slots { slot.isFree.signal() }
    for _ in 0..<Self.threadCount {
      // A queue of its own has a thread beyond those that tasks share.
      DispatchQueue(label: "todana.scan").async(group: workers) { self.work() }
    }
  }

  /// Calls back for each record that meets the condition, in the order of the scan, until it returns false.
  func forEachMatch(
    translatedBy store: Store, _ body: (RecordChunk.Slice, RecordChunk) throws(StoreError) -> Bool
  ) throws(StoreError) {
    defer { stop() }
    var number = 0
    while true {
      let slot = slots[number % slots.count]
      slot.isReady.wait()
      for match in slot.matches where try !body(slot.chunk.slices[match], slot.chunk) { return }
      switch slot.failure {
      case .ofStore(let error): throw error
      case .ofBackend(let error): throw store.translate(error)
      case nil: break
      }
      if slot.chunk.slices.isEmpty { return }
      slot.isFree.signal()
      number += 1
    }
  }

  private func stop() {
    isStopped.store(true, ordering: .releasing)
    // One thread may wait for a slot, with the lock.
    for slot in slots { slot.isFree.signal() }
    workers.wait()
  }

  private func work() {
    var looking: Looking?
    while let slot = readOn() {
      if slot.failure == nil, !slot.chunk.slices.isEmpty {
        do throws(StoreError) {
          if looking == nil { looking = try Looking(seed, type) }
          try looking?.look(at: slot.chunk, for: condition, &slot.matches)
        } catch {
          slot.failure = .ofStore(error)
        }
      }
      slot.isReady.signal()
    }
  }

  /// The next chunk, empty at the end; nil where nothing more is to be read.
  private func readOn() -> Slot? {
    reading.withLock { progress in
      if progress.isOver || isStopped.load(ordering: .acquiring) { return nil }
      let slot = slots[progress.nextSlot % slots.count]
      progress.nextSlot += 1
      slot.isFree.wait()
      if isStopped.load(ordering: .acquiring) { return nil }
      slot.matches.removeAll(keepingCapacity: true)
      do throws(BackendError) {
        try scan.next(into: slot.chunk)
      } catch {
        slot.chunk.removeAll()
        slot.failure = .ofBackend(error)
      }
      if slot.chunk.slices.isEmpty { progress.isOver = true }
      return slot
    }
  }

  /// What a thread looks at records with.
  private struct Looking: ~Copyable {
    private let store: Store
    private var scratch: ScratchObject

    init(_ seed: WorkerSeed, _ type: StoredObject.Type) throws(StoreError) {
      let store = try Store(beside: seed)
      guard let table = store.registry[type] else {
        throw StoreError(.unknownClass, "The class of a query is not among those of its store.")
      }
      self.store = store
      scratch = ScratchObject(store, table)
    }

    mutating func look(
      at chunk: RecordChunk, for condition: ConditionNode, _ matches: inout [Int]
    ) throws(StoreError) {
      for (position, slice) in chunk.slices.enumerated() {
        if try condition.holds(for: scratch.read(slice, in: chunk)) { matches.append(position) }
      }
    }
  }
}
