import CTextIndex

/// The description of a segment, which is kept outside of its pages.
struct TextSegmentInfo: Sendable, Equatable {
  let bytes: [UInt8]
  let rowCount: Int
  /// The number of words of all rows.
  let wordCount: Int
  let rowIDs: ClosedRange<RowID>
  /// The number of bytes of all pages.
  let byteCount: Int
  let keepsPositions: Bool
  let findsSubstrings: Bool

  /// The highest number of words or bytes, far more than a segment has, so that sums do not overflow.
  private static let limit: UInt64 = 1 << 40

  /// Parses a description; nil if the bytes are not one.
  init?(_ bytes: [UInt8]) {
    var values = tdt_info_values()
    guard unsafe tdt_info_read(bytes, bytes.count, &values) == TDT_OK, values.row_count > 0,
      values.first_row <= values.last_row, values.word_count <= Self.limit, values.byte_count <= Self.limit
    else { return nil }
    self.bytes = bytes
    rowCount = Int(values.row_count)
    wordCount = Int(values.word_count)
    rowIDs = values.first_row...values.last_row
    byteCount = Int(values.byte_count)
    keepsPositions = values.keeps_positions
    findsSubstrings = values.has_grams
  }

  /// Returns the description that a call of C fills.
  static func filled(
    _ body: (UnsafeMutablePointer<tdt_info>) throws(BackendError) -> Void
  ) throws(BackendError) -> TextSegmentInfo {
    var info = tdt_info()
    try unsafe body(&info)
    let bytes = unsafe withUnsafeBytes(of: info.bytes) { unsafe Array($0.prefix(info.count)) }
    guard let result = TextSegmentInfo(bytes) else {
      throw BackendError(.damaged, "A segment of a text index has no rows.")
    }
    return result
  }
}
