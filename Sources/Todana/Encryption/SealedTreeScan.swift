/// Entries of a tree within bounds, in the order of their keys, from a backend that knows nothing of that order.
///
/// The first call reads all entries, which are sorted in bounded memory (``EntrySorter``).
final class SealedTreeScan: BackendScan {
  private let base: any BackendScan
  private let tree: KeyspaceID
  private let sealing: RecordSealing
  private let trees: TreeSealing
  private let lower: [UInt8]?
  private let upper: [UInt8]?
  private let sorter: EntrySorter
  private var isSorted = false
  /// The first damage that was met, to be told once.
  private var damage: BackendError?
  /// An entry that did not fit the last chunk.
  private var hasLeft = false
  private var left: (key: [UInt8], value: [UInt8]) = ([], [])

  /// The base is a scan over all entries, in any order; `lower` is inclusive, `upper` exclusive, nil unbounded.
  init(
    _ base: any BackendScan, of tree: KeyspaceID, sealing: RecordSealing, trees: TreeSealing, from lower: [UInt8]?,
    to upper: [UInt8]?, descending: Bool
  ) {
    (self.base, self.tree, self.sealing, self.trees) = (base, tree, sealing, trees)
    (self.lower, self.upper) = (lower, upper)
    sorter = EntrySorter(descending: descending)
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    chunk.isSealed = false
    if !isSorted {
      let sorter = sorter
      damage = try forEach(chunk) { slice, chunk throws(BackendError) in
        unsafe try sorter.append(
          key: UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key]), value: chunk.value(of: slice))
        return true
      }
      try sorter.finish()
      isSorted = true
      chunk.removeAll()
    }
    if let damage {
      self.damage = nil
      throw damage
    }
    if hasLeft {
      chunk.append(rowID: 0, key: left.key, value: left.value)
      (hasLeft, left) = (false, ([], []))
    }
    while let entry = try unsafe sorter.next() {
      let (key, value) = unsafe ([UInt8](entry.key), [UInt8](entry.value))
      guard chunk.append(rowID: 0, key: key, value: value) else {
        (hasLeft, left) = (true, (key, value))
        return
      }
    }
  }

  /// Counts the entries within bounds, up to a number.
  ///
  /// - Throws: ``BackendError/Code/damaged`` if an entry cannot be read, which may be one of them.
  func count(atMost most: Int) throws(BackendError) -> Int {
    var count = 0
    let damage = try forEach(RecordChunk()) { _, _ in
      count += 1
      return count < most
    }
    if let damage, count < most { throw damage }
    return count
  }

  /// Calls back with each entry within bounds, in any order, while that says so.
  ///
  /// - Returns: The first damage that was passed over.
  private func forEach(
    _ chunk: RecordChunk, _ body: (RecordChunk.Slice, RecordChunk) throws(BackendError) -> Bool
  ) throws(BackendError) -> BackendError? {
    var damage: BackendError?
    while true {
      do throws(BackendError) {
        try base.next(into: chunk)
      } catch {
        guard error.leavesScanUsable else { throw error }
        damage = damage ?? error
        continue
      }
      if chunk.slices.isEmpty { return damage }
      do throws(BackendError) {
        try sealing.open(chunk, ofTree: tree, trees)
      } catch {
        guard error.code == .damaged else { throw error }
        damage = damage ?? error
      }
      for slice in chunk.slices where slice.status == .found {
        let isWithin = unsafe isWithin(UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key]))
        guard isWithin else { continue }
        if try !body(slice, chunk) { return damage }
      }
    }
  }

  private func isWithin(_ key: UnsafeRawBufferPointer) -> Bool {
    if let lower, unsafe lower.withUnsafeBytes({ unsafe Bytes.order(key, $0) }) < 0 { return false }
    if let upper, unsafe upper.withUnsafeBytes({ unsafe Bytes.order(key, $0) }) >= 0 { return false }
    return true
  }
}
