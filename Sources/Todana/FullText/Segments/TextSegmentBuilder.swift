import CTextIndex
import CUnicode

/// The words and grams of rows, collected in memory for a segment.
///
/// Safe: it owns the object of C, and all texts are copied.
@safe
final class TextSegmentBuilder {
  private let builder: OpaquePointer
  private let stemmer: Stemmer?

  init(keepsPositions: Bool, findsSubstrings: Bool, stemmer: Stemmer?) throws(BackendError) {
    guard let builder = unsafe tdt_builder_new(keepsPositions, findsSubstrings) else {
      throw BackendError(.noMemory, "There is not enough memory for a text index.")
    }
    unsafe self.builder = builder
    self.stemmer = stemmer
  }

  deinit { unsafe tdt_builder_free(builder) }

  /// Returns whether a text is not too long.
  static func takes(_ text: String) -> Bool { text.utf8.count <= Int(TDU_LONGEST_TEXT) }

  var rowCount: Int { unsafe Int(tdt_builder_row_count(builder)) }
  /// The approximate number of bytes; writing takes up to three times as many.
  var byteCount: Int { unsafe tdt_builder_memory(builder) }

  /// Adds a row, whose id is higher than all before.
  ///
  /// After an error the builder is unusable.
  ///
  /// - Parameters:
  ///   - rowID: The row.
  ///   - texts: Its texts, by the number of the property.
  /// - Throws: ``BackendError/Code/limitExceeded``, ``BackendError/Code/noMemory``.
  func add(_ rowID: RowID, _ texts: [TextList]) throws(BackendError) {
    try unsafe tdt_builder_begin_row(builder, rowID).check()
    for (column, list) in texts.enumerated() {
      var status = TDT_OK
      let isAdded = list.allSatisfy { text in
        let added = AnalyzedText.with(text, stemmer: stemmer) { text in add(text, UInt8(column)) }
        // There is no analyzed text if there is no memory, or if the text is too long.
        status = added ?? (Self.takes(text) ? TDT_NO_MEMORY : TDT_TOO_LONG)
        return status == TDT_OK
      }
      if !isAdded { try status.check() }
    }
  }

  private func add(_ text: borrowing AnalyzedText, _ column: UInt8) -> tdt_status {
    let (bytes, words) = unsafe (text.bytes, text.words)
    var added = unsafe tdt_text()
    unsafe added.column = column
    unsafe added.bytes = bytes.bindMemory(to: UInt8.self).baseAddress
    unsafe added.byte_count = bytes.count
    unsafe added.word_count = words.count
    return unsafe words.withMemoryRebound(to: UInt32.self) { numbers in
      unsafe added.words = numbers.baseAddress
      guard let stems = text.stems else { return unsafe tdt_builder_add(builder, &added) }
      return unsafe stems.withUnsafeParts { bytes, ends in
        unsafe added.stems = bytes.baseAddress
        unsafe added.stem_ends = ends.baseAddress
        return unsafe tdt_builder_add(builder, &added)
      }
    }
  }

  /// Writes the pages of a segment with all rows, of which there is at least one.
  func write(to sink: TextPageSink) throws(BackendError) -> TextSegmentInfo {
    try unsafe TextSegmentInfo.filled { info throws(BackendError) in
      try unsafe sink { write, context in unsafe tdt_builder_write(builder, write, context, info) }
    }
  }
}
