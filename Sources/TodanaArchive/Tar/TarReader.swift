internal import CLibArchive

/// Reads any tar: ustar, pax, GNU's and older ones, also compressed with gzip, zstd, xz or bzip2.
///
/// ```swift
/// let reader = try TarReader(file)
/// while let item = try reader.next() {
///   while let piece = try reader.readData() { … }   // or not: next() skips what was not read
/// }
/// ```
///
/// Tars that follow one another are read as one, as with GNU tar's `--ignore-zeros`.
///
/// A hostile tar gets an error, or an entry with whatever path it has, and no more than some MiB of memory, besides
/// what it really has of extended headers and data ranges. The time that it takes is that of reading it all; a small
/// file may unpack to a very large one.
///
/// libarchive does not look at the checksum that gzip has: damage of such data may go unseen, as in a tar by itself.
///
/// One thread at a time. After an error every call throws it again.
@safe
package final class TarReader {
  let archive: OpaquePointer
  private let input: TarInput
  /// What was opened here.
  private let file: OpenedFile?
  private let owners: OwnerNames
  /// The entry that was given out last.
  private(set) var current: TarEntry?
  /// Where the header of the next entry was looked for, in the unpacked tar.
  private var position: Int64 = 0
  /// Where its next data may be.
  var offset: Int64 = 0
  private var failure: ArchiveError?
  private var isFinished = false
  /// Whether the mark was there that ends a tar; known after the last entry.
  ///
  /// Without it, the file may have been cut off between two entries; some programs write none.
  package private(set) var hasEnd = false
  /// Whether other bytes than zeros follow the end that are no tar; known after the last entry.
  package private(set) var hasTrailingBytes = false

  /// Reads from a descriptor, which stays the caller's, and has to stay open.
  ///
  /// More may be read of it than the tar has, up to the other end of a pipe, but not much more than 1 MiB.
  ///
  /// - Parameters:
  ///   - file: Open for reading.
  ///   - owners: What knows the numbers of names in access control lists.
  ///   - hasStopped: Asked a few times a second while nothing comes, such as from a pipe; true has the reading fail.
  /// - Throws: ``ArchiveError/Code/tar`` for what is no tar, and where nothing can be read.
  package convenience init(
    _ file: CInt, owners: OwnerNames = OwnerNames(), hasStopped: @escaping @Sendable () -> Bool = { false }
  ) throws(ArchiveError) {
    try self.init(TarInput(file, hasStopped), nil, owners)
  }

  /// Reads from a file, by any path; links are followed.
  ///
  /// - Throws: ``ArchiveError/Code/tar``, of a ``FileError`` where the file cannot be opened.
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
        // The reader holds it as long as the archive.
        guard let piece = unsafe Unmanaged<TarInput>.fromOpaque(input).takeUnretainedValue().next() else { return -1 }
        unsafe bytes.pointee = UnsafeRawPointer(piece.baseAddress)
        return piece.count
      }, nil)
  }

  /// The next entry; nil at the end.
  package func next() throws(ArchiveError) -> TarEntry? {
    try checkFailure()
    if isFinished { return nil }
    var pointer: OpaquePointer?
    LibArchiveError.forgetNumber()
    // After an error libarchive does not say any more where the header was to be. A failure comes again below.
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
    if headers.isTooLong { throw fail(ArchiveError(.tar, "The tar has more headers of an entry than can be.")) }
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

  /// Whether what cannot be read comes after the mark that ends a tar.
  private var isBehindEnd: Bool {
    guard input.failure == nil else { return false }
    if input.hasZeros(from: position, count: TarBlock.byteCount) { return true }
    return input.bytes(at: position, count: TarBlock.byteCount).map { TarBlock($0).isEnd } ?? false
  }

  /// Checks what is behind the last entry.
  private func finish() throws(ArchiveError) {
    current = nil
    isFinished = true
    hasEnd = isBehindEnd
    // What is no tar is not read to its end.
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

  /// Has every later call throw this as well.
  func fail(_ error: ArchiveError) -> ArchiveError {
    failure = error
    return error
  }

  var error: ArchiveError {
    if let failure = input.failure { return failure }
    let text = unsafe LibArchiveError.text(of: archive)
    guard text.contains("Special header too large") else {
      return ArchiveError(.tar, "A tar cannot be read: \(text).")
    }
    return ArchiveError(.tar, "A tar has more than 1 MiB of extended headers before an entry, which cannot be read.")
  }
}

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
