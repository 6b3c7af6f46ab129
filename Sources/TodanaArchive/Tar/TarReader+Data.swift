internal import CLibArchive

extension TarReader {
  /// The next bytes of the entry that was given out last, with their place in the file; nil after the last ones.
  ///
  /// What is between pieces, and behind the last one, reads as zeros.
  package func readData() throws(ArchiveError) -> (offset: Int64, bytes: [UInt8])? {
    try checkFailure()
    guard let current, current.hasData || current.entry.byteCount > 0 else { return nil }
    while true {
      var bytes: UnsafeRawPointer?
      var count = 0
      var start: Int64 = 0
      let result = unsafe archive_read_data_block(archive, &bytes, &count, &start)
      if result == ARCHIVE_EOF { return nil }
      guard result == ARCHIVE_OK || result == ARCHIVE_WARN else { throw fail(error) }
      if count == 0 { continue }
      guard start >= offset, current.entry.byteCount - start >= Int64(count) else {
        throw fail(TarEntryParser.damage(current.path, "data out of order, or behind its end"))
      }
      offset = start + Int64(count)
      return unsafe (start, Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    }
  }
}
