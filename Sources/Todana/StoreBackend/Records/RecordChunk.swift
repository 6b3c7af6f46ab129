/// Records that a backend read: their bytes in one arena, and where each one stands.
///
/// A chunk is reused from read to read, so that reading allocates nothing. Not thread-safe.
public final class RecordChunk {
  /// The records' bytes.
  public let arena: ByteArena
  /// The bytes that a read fills at most, unless a single record is larger.
  public let byteLimit: Int
  /// How many records a read delivers at most.
  public let recordLimit: Int
  // Who fills slices does not look at them otherwise, so accesses never overlap; checking that costs on every read.
  @safe @exclusivity(unchecked) private var storedSlices: [Slice] = []
  private var smallFillCount = 0
  /// Whether a read by rows or keys has to say only which records there are: a backend may leave every value empty.
  public let leavesOutValues: Bool
  /// Whether the records are sealed, if the backend has keys: each of them, or none.
  ///
  /// A backend sets it on every read while some of its keyspaces are plain.
  public var isSealed = true

  /// - Parameters:
  ///   - byteCapacity: The bytes that a read fills at most, unless a single record is larger.
  ///   - recordLimit: The records that a read delivers at most.
  public convenience init(byteCapacity: Int = 256 << 10, recordLimit: Int = 4096) {
    self.init(byteCapacity: byteCapacity, recordLimit: recordLimit, leavesOutValues: false)
  }

  package init(byteCapacity: Int, recordLimit: Int, leavesOutValues: Bool) {
    self.leavesOutValues = leavesOutValues
    arena = ByteArena(capacity: byteCapacity)
    byteLimit = max(byteCapacity, 1)
    self.recordLimit = max(recordLimit, 1)
  }

  /// One entry for each record that was read, or that was asked for and is not there.
  public package(set) var slices: [Slice] {
    get { storedSlices }
    _modify { yield &storedSlices }
  }

  /// Where one record stands; 32 bytes, field by field what `tdn_slice` of StorageEngineReading.h is.
  ///
  /// So that the embedded backend fills slices in place; `KyotoBackend` checks the layout.
  public struct Slice: Sendable {
    /// The row id; 0 for records with byte keys.
    public var rowID: RowID
    package var valueOffset: UInt64
    package var valueLength: UInt64
    package var keyLength: UInt32
    package var rawStatus: Int32

    /// A byte key stands right before its value; rows have an empty one.
    public init(rowID: RowID, key: Range<Int>, value: Range<Int>, status: Status) {
      precondition(key.isEmpty || key.upperBound == value.lowerBound, "a byte key stands right before its value")
      self.rowID = rowID
      valueOffset = UInt64(value.lowerBound)
      valueLength = UInt64(value.count)
      keyLength = UInt32(key.count)
      rawStatus = status.rawValue
    }

    /// Where a byte key stands in the arena, right before the value; empty for rows.
    public var key: Range<Int> {
      let end = Int(valueOffset)
      return end - Int(keyLength)..<end
    }

    /// Where the value stands in the arena.
    public var value: Range<Int> {
      let start = Int(valueOffset)
      return start..<start + Int(valueLength)
    }

    /// Leaves out what stands before a part of the value; whoever does so moves a byte key right before it.
    package mutating func narrow(to value: Range<Int>) {
      valueOffset = UInt64(value.lowerBound)
      valueLength = UInt64(value.count)
    }

    /// Gives the record another byte key, which stands right before its value as well.
    package mutating func rename(byteCount: Int) { keyLength = UInt32(byteCount) }

    public var status: Status { Status(rawValue: rawStatus) ?? .damaged }
  }

  public enum Status: Int32, Sendable {
    case found = 0
    case absent = 1
    /// Bytes of the record are damaged, or of what leads to it; damage to other records is reported of them.
    case damaged = 2
  }

  public func removeAll() {
    storedSlices.removeAll(keepingCapacity: true)
    arena.count = 0
  }

  /// Adds the answer to a read: a record, or that there is none.
  ///
  /// For backends that have the bytes in memory already.
  ///
  /// - Parameters:
  ///   - rowID: The row id; 0 for records with byte keys.
  ///   - key: The byte key; empty for rows.
  ///   - value: The value; nil if there is no record.
  /// - Returns: False, with nothing added, if the chunk is full. The first record always fits.
  @discardableResult
  public func append(rowID: RowID, key: [UInt8] = [], value: [UInt8]?) -> Bool {
    let byteCount = arena.count + key.count + (value?.count ?? 0)
    guard storedSlices.isEmpty || (byteCount <= byteLimit && storedSlices.count < recordLimit) else { return false }
    let keyRange = arena.append(key)
    let valueRange = arena.append(value ?? [])
    storedSlices.append(Slice(rowID: rowID, key: keyRange, value: valueRange, status: value == nil ? .absent : .found))
    return true
  }

  /// Replaces the content by what `fill` writes into fresh memory for bytes and slices.
  ///
  /// - Parameters:
  ///   - byteCapacity: The bytes that are needed at most.
  ///   - sliceCapacity: The slices that are needed at most.
  ///   - fill: Initializes the first elements of both buffers and returns how many of each.
  package func refill(
    byteCapacity: Int, sliceCapacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer, UnsafeMutableBufferPointer<Slice>) -> (byteCount: Int, sliceCount: Int)
  ) {
    removeAll()
    adjustArena(to: byteCapacity)
    storedSlices.append(addingCapacity: sliceCapacity) { output in
      unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: arena.base, count: byteCapacity)
        let filled = unsafe fill(bytes, buffer)
        arena.count = filled.byteCount
        initializedCount = filled.sliceCount
      }
    }
  }

  /// Grows the arena at once; lets memory for a large record go when several reads in a row did without it.
  private func adjustArena(to byteCapacity: Int) {
    arena.reserve(byteCapacity)
    guard arena.capacity > 2 * byteLimit else { return }
    smallFillCount = byteCapacity > byteLimit ? 0 : smallFillCount + 1
    if smallFillCount > 8 {
      arena.shrink(to: byteLimit)
      smallFillCount = 0
    }
  }
}

extension RecordChunk {
  /// The record's bytes; good until the chunk's next use.
  @inline(__always)
  func value(of slice: Slice) -> UnsafeRawBufferPointer {
    let (end, overflows) = slice.valueOffset.addingReportingOverflow(slice.valueLength)
    precondition(!overflows && end <= UInt64(arena.count), "a backend's record stands in its chunk")
    // In bounds, so they fit Int.
    let start = unsafe arena.base + Int(truncatingIfNeeded: slice.valueOffset)
    return unsafe UnsafeRawBufferPointer(start: start, count: Int(truncatingIfNeeded: slice.valueLength))
  }

  /// Holds one record, as if it had been read.
  func hold(_ record: UnsafeRawBufferPointer, rowID: RowID, isSealed: Bool) {
    removeAll()
    arena.reserve(record.count)
    unsafe UnsafeMutableRawBufferPointer(start: arena.base, count: record.count).copyMemory(from: record)
    arena.count = record.count
    slices = [Slice(rowID: rowID, key: 0..<0, value: 0..<record.count, status: .found)]
    self.isSealed = isSealed
  }
}
