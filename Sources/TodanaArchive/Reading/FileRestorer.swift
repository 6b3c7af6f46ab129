internal import Glibc

/// Creates regular files with their data, and compares existing ones.
///
/// Not thread-safe: each thread has its own.
struct FileRestorer {
  private let reader: ContentReader
  private let comparison: FileContentComparison
  private let isDryRun: Bool

  init(_ content: ContentStore, _ groups: SharedGroups, isDryRun: Bool) {
    reader = ContentReader(content, groups)
    comparison = FileContentComparison(reader)
    self.isDryRun = isDryRun
  }

  /// The result for one file.
  struct Result {
    let outcome: ExtractOptions.Outcome
    /// The identity of the file in the target; nil in a dry run that would create it.
    let identity: FileIdentity?
  }

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - entry: The entry of a regular file.
  ///   - target: The directory in which the file is created.
  ///   - onWriting: Receives the number of bytes of each write.
  /// - Returns: The outcome and the file.
  /// - Throws: ``FileError``; ``ArchiveError/Code/damaged`` if data are missing: the file is not created then.
  func restore(
    _ entry: ArchiveEntry, in target: TargetDirectory?, onWriting: (Int) throws -> Void
  ) throws -> Result {
    guard !isDryRun, let target else {
      try onWriting(Int(clamping: entry.dataByteCount))
      return Result(outcome: .restored, identity: nil)
    }
    let made = try target.makeFile(entry.file)
    try unsafe reader.read(entry) { bytes, offset in
      try unsafe made.write(bytes, at: offset)
      try onWriting(bytes.count)
    }
    // A file with more names to come is not locked yet: an immutable file takes no further names.
    return Result(outcome: .restored, identity: try made.finish(locks: entry.file.linkCount <= 1))
  }

  /// Compares the content and metadata of an existing file of the same length with an entry.
  ///
  /// Creates the file again if its content is different.
  ///
  /// - Throws: The errors of ``restore(_:in:onWriting:)``; also ``ArchiveError/Code/damaged`` if the data to compare
  ///   are missing.
  func compare(
    _ entry: ArchiveEntry, in target: TargetDirectory, onWriting: (Int) throws -> Void
  ) throws -> Result {
    guard try hasContent(of: entry, in: target) else { return try restore(entry, in: target, onWriting: onWriting) }
    let update = try target.updateMetadata(entry.file, prefersNewFile: true)
    if update == .needsNewFile { return try restore(entry, in: target, onWriting: onWriting) }
    let identity = try target.identity(of: entry.file.name)?.identity
    return Result(outcome: update == .wasRight ? .right : .updated, identity: identity)
  }

  /// Compares the content; a file that cannot be read counts as different, as it can be replaced.
  private func hasContent(of entry: ArchiveEntry, in target: TargetDirectory) throws -> Bool {
    do {
      let file = try target.openExistingFile(entry.file.name)
      return try comparison.isEqual(file, entry)
    } catch let error as FileError where error.code != .tooManyOpenFiles {
      return false
    }
  }
}

/// Compares files with the stored content of entries, piece by piece.
///
/// Not thread-safe: each thread has its own.
@safe
final class FileContentComparison {
  /// An error that ends the reading at the first difference.
  private struct Difference: Error {}

  private let reader: ContentReader
  /// The buffer for a piece of the file.
  private let piece: UnsafeMutableRawBufferPointer

  init(_ reader: ContentReader) {
    self.reader = reader
    unsafe piece = .allocate(byteCount: 128 << 10, alignment: 4096)
  }

  deinit { unsafe piece.deallocate() }

  /// Tests whether a file has the length and bytes of an entry; holes are equal to zeros.
  ///
  /// - Throws: ``FileError`` if the file cannot be read; ``ArchiveError/Code/damaged`` if the stored content cannot be
  ///   read.
  func isEqual(_ file: SourceFile, _ entry: ArchiveEntry) throws -> Bool {
    guard file.byteCount == entry.file.byteCount else { return false }
    file.advise(.sequential)
    var end: Int64 = 0
    do {
      try unsafe reader.read(entry) { bytes, offset in
        guard try hasZeros(file, end..<offset), try unsafe has(file, bytes, at: offset) else { throw Difference() }
        end = offset + Int64(bytes.count)
      }
      return try hasZeros(file, end..<file.byteCount)
    } catch is Difference {
      return false
    }
  }

  private func has(_ file: SourceFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Bool {
    var start = 0
    while start < bytes.count {
      let wanted = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + piece.count)])
      guard try readPiece(file, wanted.count, at: offset + Int64(start)) else { return false }
      if let found = unsafe piece.baseAddress, let wantedStart = wanted.baseAddress {
        guard unsafe memcmp(found, wantedStart, wanted.count) == 0 else { return false }
      }
      start += wanted.count
    }
    return true
  }

  /// Tests whether a range consists of zeros; skips holes, which may be terabytes long.
  private func hasZeros(_ file: SourceFile, _ range: Range<Int64>) throws(FileError) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound, let data = try file.nextData(from: position) {
      position = data.lowerBound
      let end = min(data.upperBound, range.upperBound)
      while position < end {
        let count = Int(min(end - position, Int64(unsafe piece.count)))
        guard try readPiece(file, count, at: position) else { return false }
        guard unsafe piece[..<count].allSatisfy({ $0 == 0 }) else { return false }
        position += Int64(count)
      }
    }
    return true
  }

  /// Reads `count` bytes into the buffer; returns false if the file ends before that.
  private func readPiece(_ file: SourceFile, _ count: Int, at offset: Int64) throws(FileError) -> Bool {
    let found = try unsafe file.read(into: .init(rebasing: piece[..<count]), at: offset)
    return found == count
  }
}
