/// The records of one read: their bytes in one arena, and the position of each record.
///
/// A chunk is reused from read to read, so that reading allocates nothing. It is not thread-safe.
public final class RecordChunk {
  /// The records' bytes.
  public let arena: ByteArena
  /// The maximum number of bytes that a read fills, unless a single record is larger.
  public let byteLimit: Int
  /// The maximum number of records that a read delivers.
  public let recordLimit: Int
  // Code that fills slices does not access them in another way, so accesses never overlap; a check would slow every
  // read.
  @safe @exclusivity(unchecked) private var storedSlices: [Slice] = []
  private var smallFillCount = 0
  /// Whether a read by rows or keys needs only the statuses of records: a backend may leave every value empty.
  public let leavesOutValues: Bool
  /// Whether all records are sealed; if false, none is.
  ///
  /// Relevant only if the backend has keys. A backend with both plain and sealed keyspaces sets it on every read.
  public var isSealed = true

  /// Creates an empty chunk.
  ///
  /// - Parameters:
  ///   - byteCapacity: The maximum number of bytes that a read fills, unless a single record is larger.
  ///   - recordLimit: The maximum number of records that a read delivers.
  public convenience init(byteCapacity: Int = 256 << 10, recordLimit: Int = 4096) {
    self.init(byteCapacity: byteCapacity, recordLimit: recordLimit, leavesOutValues: false)
  }

  package init(byteCapacity: Int, recordLimit: Int, leavesOutValues: Bool) {
    self.leavesOutValues = leavesOutValues
    arena = ByteArena(capacity: byteCapacity)
    byteLimit = max(byteCapacity, 1)
    self.recordLimit = max(recordLimit, 1)
  }

  /// One entry for each record that was read, or that was requested and does not exist.
  public package(set) var slices: [Slice] {
    get { storedSlices }
    _modify { yield &storedSlices }
  }

  /// The position and status of one record: 32 bytes, with the fields of `tdn_slice` of StorageEngineReading.h.
  ///
  /// With this layout the embedded backend fills slices in place; `KyotoBackend` checks the layout.
  public struct Slice: Sendable {
    /// The row id; 0 for records with byte keys.
    public var rowID: RowID
    package var valueOffset: UInt64
    package var valueLength: UInt64
    package var keyLength: UInt32
    package var rawStatus: Int32

    /// Creates a slice; a byte key must be stored directly before its value, and rows have an empty key.
    public init(rowID: RowID, key: Range<Int>, value: Range<Int>, status: Status) {
      precondition(key.isEmpty || key.upperBound == value.lowerBound, "a byte key stands right before its value")
      self.rowID = rowID
      valueOffset = UInt64(value.lowerBound)
      valueLength = UInt64(value.count)
      keyLength = UInt32(key.count)
      rawStatus = status.rawValue
    }

    /// The position of the byte key in the arena, directly before the value; empty for rows.
    public var key: Range<Int> {
      let end = Int(valueOffset)
      return end - Int(keyLength)..<end
    }

    /// The position of the value in the arena.
    public var value: Range<Int> {
      let start = Int(valueOffset)
      return start..<start + Int(valueLength)
    }

    /// Reduces the value to a part of it; the caller moves a byte key directly before that part.
    package mutating func narrow(to value: Range<Int>) {
      valueOffset = UInt64(value.lowerBound)
      valueLength = UInt64(value.count)
    }

    /// Sets the length of a new byte key, which must also be stored directly before the value.
    package mutating func rename(byteCount: Int) { keyLength = UInt32(byteCount) }

    public var status: Status { Status(rawValue: rawStatus) ?? .damaged }
  }

  public enum Status: Int32, Sendable {
    case found = 0
    case absent = 1
    /// Bytes of the record, or of the pages that lead to it, are damaged.
    ///
    /// Damage to another record does not change this record's status.
    case damaged = 2
  }

  public func removeAll() {
    storedSlices.removeAll(keepingCapacity: true)
    arena.count = 0
  }

  /// Appends the result of a read: a record, or its absence.
  ///
  /// For backends that have the bytes in memory already.
  ///
  /// - Parameters:
  ///   - rowID: The row id; 0 for records with byte keys.
  ///   - key: The byte key; empty for rows.
  ///   - value: The value; nil if there is no record.
  /// - Returns: False, with nothing appended, if the chunk is full. The first record always fits.
  @discardableResult
  public func append(rowID: RowID, key: [UInt8] = [], value: [UInt8]?) -> Bool {
    let byteCount = arena.count + key.count + (value?.count ?? 0)
    guard storedSlices.isEmpty || (byteCount <= byteLimit && storedSlices.count < recordLimit) else { return false }
    let keyRange = arena.append(key)
    let valueRange = arena.append(value ?? [])
    storedSlices.append(Slice(rowID: rowID, key: keyRange, value: valueRange, status: value == nil ? .absent : .found))
    return true
  }

  /// Replaces the content by the bytes and slices that `fill` writes into fresh memory.
  ///
  /// - Parameters:
  ///   - byteCapacity: The maximum number of bytes that are needed.
  ///   - sliceCapacity: The maximum number of slices that are needed.
  ///   - fill: Initializes the first elements of both buffers and returns their numbers.
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

  /// Grows the arena if necessary; releases the memory of a large record after nine smaller reads in a row.
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
  /// Returns the record's bytes, which are valid until the chunk's next use.
  @inline(__always)
  func value(of slice: Slice) -> UnsafeRawBufferPointer {
    let (end, overflows) = slice.valueOffset.addingReportingOverflow(slice.valueLength)
    precondition(!overflows && end <= UInt64(arena.count), "a backend's record stands in its chunk")
    // Both numbers are within the arena, so they fit into Int.
    let start = unsafe arena.base + Int(truncatingIfNeeded: slice.valueOffset)
    return unsafe UnsafeRawBufferPointer(start: start, count: Int(truncatingIfNeeded: slice.valueLength))
  }

  /// Replaces the content by one record, as if it had been read.
  func hold(_ record: UnsafeRawBufferPointer, rowID: RowID, isSealed: Bool) {
    removeAll()
    arena.reserve(record.count)
    unsafe UnsafeMutableRawBufferPointer(start: arena.base, count: record.count).copyMemory(from: record)
    arena.count = record.count
    slices = [Slice(rowID: rowID, key: 0..<0, value: 0..<record.count, status: .found)]
    self.isSealed = isSealed
  }
}
