/// A scan of a tree's entries within bounds, in the order of their keys, for a backend that does not know that order.
///
/// The first call reads all entries, and sorts them in bounded memory (``EntrySorter``).
final class SealedTreeScan: BackendScan {
  private let base: any BackendScan
  private let tree: KeyspaceID
  private let sealing: RecordSealing
  private let trees: TreeSealing
  private let lower: [UInt8]?
  private let upper: [UInt8]?
  private let sorter: EntrySorter
  private var isSorted = false
  /// The first damage that was found, to be thrown once.
  private var damage: BackendError?
  /// Whether an entry did not fit into the last chunk.
  private var hasLeft = false
  private var left: (key: [UInt8], value: [UInt8]) = ([], [])

  /// Creates a scan from one of the backend over all entries, in any order.
  ///
  /// `lower` is inclusive, `upper` exclusive, nil unbounded.
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

  /// Counts the entries within bounds, up to a maximum.
  ///
  /// - Throws: ``BackendError/Code/damaged`` if an entry cannot be read, since it may be within the bounds.
  func count(atMost most: Int) throws(BackendError) -> Int {
    var count = 0
    let damage = try forEach(RecordChunk()) { _, _ in
      count += 1
      return count < most
    }
    if let damage, count < most { throw damage }
    return count
  }

  /// Returns the keys within bounds, up to a maximum.
  ///
  /// - Throws: ``BackendError/Code/damaged`` if an entry cannot be read, since it may be within the bounds.
  func keys(atMost most: Int) throws(BackendError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    let damage = try forEach(RecordChunk()) { slice, chunk in
      keys.append(unsafe Array(chunk.arena.bytes[slice.key]))
      return keys.count < most
    }
    if let damage, keys.count < most { throw damage }
    return keys
  }

  /// Calls `body` with each entry within bounds, in any order, until it returns false.
  ///
  /// - Returns: The first damage that was skipped.
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
