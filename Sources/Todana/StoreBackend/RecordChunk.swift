/// Records that a backend read: their bytes in one arena, and where each one stands.
///
/// A chunk is reused from read to read, so that reading allocates nothing. Not thread-safe.
public final class RecordChunk {
  /// The records' bytes.
  public let arena: ByteArena
  /// One entry for each record that was read, or that was asked for and is not there.
  public package(set) var slices: [Slice] = []
  /// How many records a read delivers at most.
  public let recordLimit: Int

  /// - Parameters:
  ///   - byteCapacity: The bytes that a read fills at most, unless a single record is larger.
  ///   - recordLimit: The records that a read delivers at most.
  public init(byteCapacity: Int = 256 << 10, recordLimit: Int = 4096) {
    arena = ByteArena(capacity: byteCapacity)
    self.recordLimit = recordLimit
  }

  public struct Slice: Sendable {
    /// The row id; 0 for records with byte keys.
    public var rowID: RowID
    /// Where a byte key stands in the arena; empty for rows.
    public var key: Range<Int>
    /// Where the value stands in the arena.
    public var value: Range<Int>
    public var status: Status

    public init(rowID: RowID, key: Range<Int>, value: Range<Int>, status: Status) {
      self.rowID = rowID
      self.key = key
      self.value = value
      self.status = status
    }
  }

  public enum Status: Int32, Sendable {
    case found = 0
    case absent = 1
    /// The record's length, chain or page is damaged; other records are unharmed.
    case damaged = 2
  }
}
