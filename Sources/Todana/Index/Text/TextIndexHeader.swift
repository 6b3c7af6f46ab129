/// The record that lists the segments of a text index, and the rows that they have (docs/formats/text-indexes.md).
///
/// A row above ``mergedRow`` is *pending*: it is in no segment, and a search tests its texts. So is a row with a pending
/// entry, which a save writes when it changes a row that segments may have.
struct TextIndexHeader: Sendable {
  struct Segment: Sendable {
    let keyspace: KeyspaceID
    let info: TextSegmentInfo
    /// The number of its rows that a later segment has, or that were deleted.
    var staleCount: Int
  }

  var signature: String
  /// The highest row that the segments may have.
  var mergedRow: RowID
  /// The highest row for which saves write pending entries: a merge takes rows up to it.
  var claimedRow: RowID
  /// The number of the next segment, for its name.
  var nextSegment: UInt64
  var segments: [Segment]
  /// A random number, new for each header, which every save of the class expects.
  var token: UInt64

  init(signature: String) {
    self.signature = signature
    (mergedRow, claimedRow, nextSegment, segments, token) = (0, 0, 1, [], .random(in: 0 ... .max))
  }

  mutating func renewToken() { token = .random(in: 0 ... .max) }

  private static let format: UInt8 = 1
  /// The highest number of segments, far more than merges leave.
  private static let segmentLimit = 65_536

  /// Parses a header; nil if the bytes have another format, which requires a new build of the index.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = unsafe TextRecordReader(bytes)
    guard reader.byte() == Self.format, let merged = reader.number(), let claimed = reader.number(),
      let next = reader.number(), let count = reader.number(), claimed >= merged, merged < .max, next < .max,
      count <= UInt64(Self.segmentLimit)
    else { return nil }
    (mergedRow, claimedRow, nextSegment, segments) = (merged, claimed, next, [])
    for _ in 0..<count {
      guard let id = reader.number().flatMap(UInt32.init(exactly:)), let stale = reader.number(),
        let staleCount = Int(exactly: stale), let bytes = reader.bytes(), let info = TextSegmentInfo(bytes),
        staleCount <= info.rowCount
      else { return nil }
      segments.append(Segment(keyspace: KeyspaceID(rawValue: id), info: info, staleCount: staleCount))
    }
    guard let signature = reader.bytes(), reader.leftCount == 8, let token = reader.number() else { return nil }
    self.signature = String(decoding: signature, as: UTF8.self)
    self.token = token
  }

  var bytes: [UInt8] {
    var writer = TextRecordWriter()
    writer.append(byte: Self.format)
    for number in [mergedRow, claimedRow, nextSegment, UInt64(segments.count)] { writer.append(number) }
    for segment in segments {
      writer.append(UInt64(segment.keyspace.rawValue))
      writer.append(UInt64(segment.staleCount))
      writer.append(segment.info.bytes)
    }
    writer.append(Array(signature.utf8))
    writer.append(token)
    return writer.bytes
  }
}

/// The keys of the tree of a text index.
enum TextIndexKey {
  static let header: [UInt8] = [0]
  private static let pendingByte: UInt8 = 1
  private static let staleByte: UInt8 = 2

  /// Returns the key of a row's pending entry: the row id, the most significant byte first.
  static func pending(_ rowID: RowID) -> [UInt8] { [pendingByte] + bigEndian(rowID) }

  /// The bounds of the keys of all pending entries.
  static let allPending: (lower: [UInt8], upper: [UInt8]) = ([pendingByte], [staleByte])

  /// Returns the row of a pending entry; nil for any other key.
  static func pendingRow(_ key: UnsafeRawBufferPointer) -> RowID? {
    guard key.count == 9, unsafe key[0] == pendingByte else { return nil }
    return unsafe RowID(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: RowID.self))
  }

  /// Returns the key of the list of a segment's stale rows.
  static func stale(_ keyspace: KeyspaceID) -> [UInt8] { [staleByte] + bigEndian(UInt64(keyspace.rawValue)) }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}

/// The value of a pending entry.
struct PendingText: Sendable, Equatable {
  let rowID: RowID
  /// A random number, by which a merge recognizes that the entry is the one that it has read.
  let token: UInt64
  /// Whether a merge could not read the row's record, so that the entry stays until the row is saved again.
  let isUnreadable: Bool

  init(_ rowID: RowID, isUnreadable: Bool = false) {
    (self.rowID, token, self.isUnreadable) = (rowID, .random(in: 0 ... .max), isUnreadable)
  }

  /// Parses an entry; nil if it is damaged.
  init?(_ slice: RecordChunk.Slice, in chunk: RecordChunk) {
    let value = unsafe chunk.value(of: slice)
    guard slice.status == .found, value.count == 9,
      let rowID = unsafe TextIndexKey.pendingRow(UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key]))
    else { return nil }
    self.rowID = rowID
    isUnreadable = unsafe value[0] != 0
    token = unsafe UInt64(littleEndian: value.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
  }

  var value: [UInt8] {
    var writer = TextRecordWriter()
    writer.append(byte: isUnreadable ? 1 : 0)
    writer.append(token)
    return writer.bytes
  }
}

/// The list of a segment's stale rows, in ascending order: the gaps between them as varints.
enum StaleRows {
  static func bytes(of rows: [RowID]) -> [UInt8] {
    var bytes: [UInt8] = []
    var last: RowID = 0
    for row in rows {
      var gap = row - last
      last = row
      while gap >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: gap) | 0x80)
        gap >>= 7
      }
      bytes.append(UInt8(gap))
    }
    return bytes
  }

  /// Parses a list; nil if it is damaged.
  static func rows(_ bytes: UnsafeRawBufferPointer) -> [RowID]? {
    var rows: [RowID] = []
    var (last, gap, shift): (RowID, UInt64, UInt64) = (0, 0, 0)
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      guard shift < 64 else { return nil }
      gap |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte >= 0x80 { continue }
      let (row, hasOverflown) = last.addingReportingOverflow(gap)
      guard !hasOverflown, gap > 0 else { return nil }
      rows.append(row)
      (last, gap, shift) = (row, 0, 0)
    }
    return shift == 0 ? rows : nil
  }
}
