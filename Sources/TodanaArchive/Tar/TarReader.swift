internal import CLibArchive

/// Reads tars in any format: ustar, pax, GNU and older ones, uncompressed or compressed with gzip, zstd, xz or bzip2.
///
/// ```swift
/// let reader = try TarReader(file)
/// while let item = try reader.next() {
///   while let piece = try reader.readData() { … }   // optional: next() skips unread data
/// }
/// ```
///
/// Concatenated tars are read as one, as with GNU tar's `--ignore-zeros`.
///
/// A hostile tar causes an error, or an entry with an arbitrary path. Memory use is limited to a few MiB, plus the size
/// of its extended headers and data ranges. The time is proportional to the decompressed size, which can be very large
/// for a small file.
///
/// libarchive does not verify gzip's checksum: damage of such data may go unnoticed, as in an uncompressed tar.
///
/// Not thread-safe. After an error, every call throws it again.
@safe
package final class TarReader {
  let archive: OpaquePointer
  private let input: TarInput
  /// The file, if this reader has opened it.
  private let file: OpenedFile?
  private let owners: OwnerNames
  /// The last returned entry.
  private(set) var current: TarEntry?
  /// The offset in the decompressed tar at which the header of the next entry was expected.
  private var position: Int64 = 0
  /// The lowest possible offset of the next data in the current file.
  var offset: Int64 = 0
  private var failure: ArchiveError?
  private var isFinished = false
  /// Whether the tar ends with an end mark; valid after the last entry.
  ///
  /// A tar without an end mark may have been truncated between two entries; some programs write none.
  package private(set) var hasEnd = false
  /// Whether bytes other than zeros follow the end that are not a tar; valid after the last entry.
  package private(set) var hasTrailingBytes = false

  /// Reads from a descriptor, which the caller closes, and which must stay open.
  ///
  /// It may read beyond the tar's end, up to the end of a pipe, but not much more than 1 MiB.
  ///
  /// - Parameters:
  ///   - file: A descriptor that is open for reading.
  ///   - owners: Converts names in access control lists to ids.
  ///   - hasStopped: Called a few times a second while waiting for input, for example from a pipe; true makes the read
  ///     fail.
  /// - Throws: ``ArchiveError/Code/tar`` if the input is not a tar, or cannot be read.
  package convenience init(
    _ file: CInt, owners: OwnerNames = OwnerNames(), hasStopped: @escaping @Sendable () -> Bool = { false }
  ) throws(ArchiveError) {
    try self.init(TarInput(file, hasStopped), nil, owners)
  }

  /// Reads from the file at a path; symbolic links are followed.
  ///
  /// - Throws: ``ArchiveError/Code/tar``, with an underlying ``FileError`` if the file cannot be opened.
  package convenience init(path: [UInt8], owners: OwnerNames = OwnerNames()) throws(ArchiveError) {
    let file = try OpenedFile(path)
    try self.init(TarInput(file.descriptor) { false }, file, owners)
  }

  private init(_ input: TarInput, _ file: OpenedFile?, _ owners: OwnerNames) throws(ArchiveError) {
    self.input = input
    self.file = file
    guard let archive = unsafe archive_read_new() else { throw ArchiveError(.tar, "There is no memory for a tar.") }
    unsafe self.archive = archive
    self.owners = owners
    let results = unsafe [
      archive_read_support_format_tar(archive),
      archive_read_set_format_option(archive, "tar", "read_concatenated_archives", "1"),
    ]
    guard results.allSatisfy({ $0 == ARCHIVE_OK }), open() == ARCHIVE_OK else { throw error }
  }

  deinit { unsafe archive_read_free(archive) }

  private func open() -> CInt {
    unsafe archive_read_open(
      archive, Unmanaged.passUnretained(input).toOpaque(), nil,
      { _, input, bytes in
        guard let input = unsafe input, let bytes = unsafe bytes else { return -1 }
        // The reader holds the input as long as the archive.
        guard let piece = unsafe Unmanaged<TarInput>.fromOpaque(input).takeUnretainedValue().next() else { return -1 }
        unsafe bytes.pointee = UnsafeRawPointer(piece.baseAddress)
        return piece.count
      }, nil)
  }

  /// Returns the next entry; nil at the end.
  package func next() throws(ArchiveError) -> TarEntry? {
    try checkFailure()
    if isFinished { return nil }
    var pointer: OpaquePointer?
    LibArchiveError.forgetNumber()
    // Skip data here, as libarchive does not report the expected offset of a header after an error. A failure recurs
    // below.
    if current != nil { _ = unsafe archive_read_data_skip(archive) }
    position = unsafe archive_filter_bytes(archive, 0)
    let result = unsafe archive_read_next_header(archive, &pointer)
    if result == ARCHIVE_EOF {
      try finish()
      return nil
    }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let pointer = unsafe pointer else {
      guard isBehindEnd else { throw fail(error) }
      try finish()
      return nil
    }
    let headers = TarSpecialHeaders(input, at: position)
    if headers.isTooLong { throw fail(ArchiveError(.tar, "The tar has too many headers for one entry.")) }
    let warning = result == ARCHIVE_WARN ? unsafe LibArchiveError.text(of: archive) : nil
    let parser = unsafe TarEntryParser(pointer, headers.records, owners, warning: warning)
    do throws(ArchiveError) {
      var entry = try parser.entry()
      entry.isContinued = headers.isContinued
      current = entry
      offset = 0
      return entry
    } catch {
      throw fail(error)
    }
  }

  /// Whether the bytes that cannot be read follow the end mark of a tar.
  private var isBehindEnd: Bool {
    guard input.failure == nil else { return false }
    if input.hasZeros(from: position, count: TarBlock.byteCount) { return true }
    return input.bytes(at: position, count: TarBlock.byteCount).map { TarBlock($0).isEnd } ?? false
  }

  /// Checks the bytes after the last entry.
  private func finish() throws(ArchiveError) {
    current = nil
    isFinished = true
    hasEnd = isBehindEnd
    // Read only the first MiB of bytes that are not a tar.
    for _ in 0..<16 {
      guard let piece = unsafe input.next(), unsafe !piece.isEmpty else { break }
    }
    if input.failure != nil { throw fail(error) }
    let hasZeros = input.hasZeros(from: position, count: TarBlock.byteCount)
    hasTrailingBytes = hasEnd && !hasZeros || input.hasBytesBehindCompressed()
  }

  func checkFailure() throws(ArchiveError) {
    if let failure { throw failure }
  }

  /// Makes every later call throw the error as well, and returns it.
  func fail(_ error: ArchiveError) -> ArchiveError {
    failure = error
    return error
  }

  var error: ArchiveError {
    if let failure = input.failure { return failure }
    let text = unsafe LibArchiveError.text(of: archive)
    guard text.contains("Special header too large") else {
      return ArchiveError(.tar, "The tar cannot be read: \(text).")
    }
    return ArchiveError(.tar, "The tar has more than 1 MiB of extended headers before an entry, which cannot be read.")
  }
}

extension TarReader {
  /// Returns the next bytes of the current entry and their offset in the file; nil after the last bytes.
  ///
  /// Gaps between the pieces, and after the last one, are zeros.
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
        throw fail(TarEntryParser.damage(current.path, "data out of order, or beyond its end"))
      }
      offset = start + Int64(count)
      return unsafe (start, Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    }
  }
}
