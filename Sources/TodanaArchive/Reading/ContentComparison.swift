internal import Todana

extension ContentStore {
  /// Whether two of a kind have other bytes, point elsewhere, or are other devices.
  ///
  /// Content has one row, so rows tell; nearly nothing is read.
  func hasOtherContent(_ old: ArchiveEntry, _ new: ArchiveEntry) throws -> Bool {
    switch old.file.kind {
    case .directory: return false
    case .regular: break
    default: return old.file.kind != new.file.kind
    }
    if old.file.byteCount != new.file.byteCount || old.extents != new.extents { return true }
    let (oldContent, newContent) = try (current(old.content), current(new.content))
    switch (oldContent, newContent) {
    case (.small(let small), .chunks(let chunks)), (.chunks(let chunks), .small(let small)):
      // What came from a pipe is a chunk, however small it is.
      return try chunks.count != 1 || !isSame(small: small, chunk: chunks[0])
    default: return oldContent != newContent
    }
  }

  /// What is damaged is the same as nothing.
  private func isSame(small: RowID, chunk: RowID) throws -> Bool {
    do {
      return try object(StoredSmallFile.self, small).name == object(StoredContent.self, chunk).name
    } catch let error as ArchiveError where error.code == .damaged {
      return false
    }
  }
}
