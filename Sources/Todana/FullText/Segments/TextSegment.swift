import CTextIndex

/// The parts of a segment that are kept in memory, for all threads.
///
/// Safe to share: the tables do not change.
@safe
final class TextSegmentTables: @unchecked Sendable {
  let info: TextSegmentInfo
  fileprivate let tables: OpaquePointer

  /// Reads the tables.
  init(_ info: TextSegmentInfo, from source: TextPageSource) throws(BackendError) {
    var status = TDT_OK
    let tables = unsafe tdt_tables_read(
      info.bytes, info.bytes.count, TextPageSource.callback, source.context, &status)
    try source.check(status)
    guard let tables = unsafe tables else {
      throw BackendError(.noMemory, "There is not enough memory for a text index.")
    }
    self.info = info
    unsafe self.tables = tables
  }

  deinit { unsafe tdt_tables_free(tables) }

  /// Returns the rows that the segment has.
  func rows(among rows: [RowID]) -> [RowID] {
    let areFound = unsafe [Bool](unsafeUninitializedCapacity: rows.count) { found, count in
      if let found = found.baseAddress { unsafe tdt_tables_find(tables, rows, rows.count, found) }
      count = rows.count
    }
    return zip(rows, areFound).filter(\.1).map(\.0)
  }

  /// Returns the numbers of those rows that the segment has, and of their words.
  func count(_ rows: [RowID]) -> (rows: Int, words: Int) {
    var found: UInt32 = 0
    let words = unsafe tdt_tables_count_words(tables, rows, rows.count, &found)
    return (Int(found), Int(clamping: words))
  }

  /// Returns the row ids of some documents, which have the numbers from 0 on, in ascending order.
  func rowIDs(of documents: Range<Int>) -> [RowID] {
    precondition(documents.lowerBound >= 0 && documents.upperBound <= info.rowCount)
    return unsafe [RowID](unsafeUninitializedCapacity: documents.count) { rows, count in
      if let rows = rows.baseAddress {
        unsafe tdt_tables_rows(tables, UInt32(documents.lowerBound), UInt32(documents.count), rows)
      }
      count = documents.count
    }
  }
}

/// An open segment of a text index, for one thread at a time.
///
/// Safe: it owns the object of C, and keeps what that refers to alive.
@safe
final class TextSegment {
  static let pageByteCount = Int(TDT_PAGE_SIZE)
  /// The most bytes of a word that segments have as a whole.
  static let longestWord = Int(TDT_LONGEST_WORD)

  let tables: TextSegmentTables
  let source: TextPageSource
  let handle: OpaquePointer
  private let cache: TextPageCache?

  /// Opens a segment.
  ///
  /// - Parameters:
  ///   - tables: The tables of the segment.
  ///   - source: Its pages.
  ///   - cache: Keeps pages for other searches; nil if the segment is read once.
  /// - Throws: ``BackendError/Code/noMemory``.
  init(_ tables: TextSegmentTables, _ source: TextPageSource, cache: TextPageCache?) throws(BackendError) {
    let handle = unsafe tdt_segment_open(tables.tables, cache?.cache, TextPageSource.callback, source.context)
    guard let handle = unsafe handle else {
      throw BackendError(.noMemory, "There is not enough memory for a text index.")
    }
    self.tables = tables
    self.source = source
    self.cache = cache
    unsafe self.handle = handle
  }

  deinit { unsafe tdt_segment_free(handle) }

  var info: TextSegmentInfo { tables.info }

  /// Returns a number for each document that depends on all that the segment has of it.
  ///
  /// Equal texts have equal numbers in all segments with the same options.
  ///
  /// - Throws: The errors of reading pages, of which this reads all.
  func digests() throws(BackendError) -> [UInt64] {
    var status = TDT_OK
    let digests = unsafe [UInt64](unsafeUninitializedCapacity: info.rowCount) { digests, count in
      if let digests = digests.baseAddress { status = unsafe tdt_segment_digests(handle, digests) }
      count = status == TDT_OK ? info.rowCount : 0
    }
    try source.check(status)
    return digests
  }

  /// Writes a segment with the rows of several ones.
  ///
  /// - Parameters:
  ///   - inputs: The segments, each with the rows that are left out, in ascending order. At least one row is left.
  ///   - sink: The receiver of the pages.
  /// - Returns: The description of the new segment.
  /// - Throws: The errors of reading and writing pages; ``BackendError/Code/damaged`` also if a row is in two segments.
  static func merge(
    _ inputs: [(segment: TextSegment, dropped: [RowID])], to sink: TextPageSink
  ) throws(BackendError) -> TextSegmentInfo {
    let dropped = inputs.flatMap(\.dropped)
    return try unsafe TextSegmentInfo.filled { info throws(BackendError) in
      do throws(BackendError) {
        try unsafe sink { write, context in
          unsafe dropped.withUnsafeBufferPointer { dropped in
            var start = 0
            var merged: [tdt_merge_input] = unsafe []
            for input in inputs {
              let rows = unsafe dropped.baseAddress.map { unsafe $0 + start }
              unsafe merged.append(
                tdt_merge_input(segment: input.segment.handle, dropped: rows, dropped_count: input.dropped.count))
              start += input.dropped.count
            }
            return unsafe tdt_merge(merged, merged.count, write, context, info)
          }
        }
      } catch {
        for input in inputs { try input.segment.source.throwFailure() }
        throw error
      }
    }
  }
}
