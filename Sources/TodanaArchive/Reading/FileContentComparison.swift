internal import Glibc

/// Compares files with the stored content of entries, a piece at a time.
///
/// For one thread.
@safe
final class FileContentComparison {
  /// Ends reading at the first difference.
  private struct Difference: Error {}

  private let reader: ContentReader
  /// A piece of the file.
  private let piece: UnsafeMutableRawBufferPointer

  init(_ reader: ContentReader) {
    self.reader = reader
    unsafe piece = .allocate(byteCount: 128 << 10, alignment: 4096)
  }

  deinit { unsafe piece.deallocate() }

  /// Returns whether a file has the length and the bytes of an entry; holes are equal to zeros.
  ///
  /// - Throws: ``FileError`` if the file cannot be read; ``ArchiveError/Code/damaged`` if the stored content cannot be.
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

  /// Reads only where the file has data: a hole may be terabytes long.
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

  /// Fills the piece; false if the file ends before.
  private func readPiece(_ file: SourceFile, _ count: Int, at offset: Int64) throws(FileError) -> Bool {
    let found = try unsafe file.read(into: .init(rebasing: piece[..<count]), at: offset)
    return found == count
  }
}
