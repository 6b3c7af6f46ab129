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

  /// Parses a description; nil if the bytes are not one.
  init?(_ bytes: [UInt8]) {
    var values = tdt_info_values()
    guard unsafe tdt_info_read(bytes, bytes.count, &values) == TDT_OK, values.row_count > 0,
      values.first_row <= values.last_row, let wordCount = Int(exactly: values.word_count),
      let byteCount = Int(exactly: values.byte_count)
    else { return nil }
    self.bytes = bytes
    rowCount = Int(values.row_count)
    self.wordCount = wordCount
    rowIDs = values.first_row...values.last_row
    self.byteCount = byteCount
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
