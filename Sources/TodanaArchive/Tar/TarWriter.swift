internal import CLibArchive

/// Writes a tar stream in the POSIX pax format, which GNU tar, bsdtar and Python read.
///
/// ```swift
/// let writer = try TarWriter(to: file, name: Array("backup.tar".utf8))
/// try writer.add(TarEntry(path: path, entry: entry))
/// try writer.write(bytes, at: 0)          // of a regular file, from its start to its end
/// try writer.finish()
/// ```
///
/// Names may be any bytes, independently of the locale. Some properties are not restored unchanged by all programs:
/// - Access control lists have ids of users and groups, not names. GNU tar restores them with `--acls`.
/// - GNU tar restores attributes outside "user." only with `--xattrs --xattrs-include='*'`. For each entry with a name
///   that is not ASCII, it warns about `hdrcharset`, but restores the entry correctly.
/// - bsdtar (libarchive) restores no attributes in "system." except access control lists. It does not decode "%25" and
///   "%3D" in the name of an attribute. It reads a fractional time before 1970 as one second too late.
/// - The entry of a hard link repeats the file's metadata, which readers ignore.
///
/// Not thread-safe. After a failed write, every call throws; the output is then an incomplete tar.
@safe
package final class TarWriter {
  private let archive: OpaquePointer
  private let output: TarOutput
  /// The position of the next data; nil unless an entry with data is being written.
  var data: TarDataPosition?
  private var isFinished = false

  /// Writes to a function, which receives pieces of any size, many of them small.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` if there is no memory.
  package convenience init(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws(ArchiveError) {
    try self.init(unsafe TarOutput(sink, flush: {}))
  }

  /// Writes to a file, a pipe or a socket, which the caller closes.
  ///
  /// - Parameters:
  ///   - file: A descriptor that is open for writing. A pipe without a reader causes an error (`EPIPE`), and no signal.
  ///   - name: The name of the output in errors.
  /// - Throws: ``ArchiveError/Code/tar`` if there is no memory.
  package convenience init(to file: CInt, name: [UInt8]) throws(ArchiveError) {
    let file = DescriptorOutput(file, name: name)
    try self.init(unsafe TarOutput({ try unsafe file.write($0) }, flush: { try file.flush() }))
  }

  private init(_ output: TarOutput) throws(ArchiveError) {
    guard let archive = unsafe archive_write_new() else {
      throw ArchiveError(.tar, "There is no memory for a tar.")
    }
    unsafe self.archive = archive
    self.output = output
    // Do not collect blocks: the bytes of a header must be complete when the call that writes it returns.
    let results = unsafe [
      archive_write_set_format_pax(archive), archive_write_add_filter_none(archive),
      archive_write_set_bytes_per_block(archive, 0), archive_write_set_options(archive, "hdrcharset=BINARY"),
      output.open(archive),
    ]
    if results.contains(where: { $0 != ARCHIVE_OK }) { throw error }
  }

  deinit {
    // Otherwise `archive_write_free` would write an end mark.
    if !isFinished { unsafe archive_write_fail(archive) }
    unsafe archive_write_free(archive)
  }

  /// Begins an entry; missing data of the previous entry are filled with zeros.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for entries that a tar cannot hold: sockets, absolute paths, more than 1 MiB
  ///   of attributes. Nothing is written for such an entry, and other entries may follow.
  package func add(_ entry: TarEntry) throws(ArchiveError) {
    try finishEntry()
    let header = try TarHeader(entry)
    let record = try LibArchiveEntry()
    record.fill(
      header.entry, path: header.path, hardLinkTarget: header.hardLinkTarget, storedByteCount: header.storedByteCount)
    LibArchiveError.forgetNumber()
    let (result, bytes) = output.capture { unsafe archive_write_header(archive, record.pointer) }
    // A warning means that a value does not fit into the block; it is in the records.
    guard result >= ARCHIVE_WARN else { throw error }
    guard output.write(try header.bytes(completing: bytes)) else { throw error }
    if let map = header.map { try writeStored(map.header.span) }
    if entry.hasData { data = TarDataPosition(header.map?.ranges ?? [0..<entry.entry.byteCount]) }
  }

  /// Writes the end of the stream; must be the last call.
  package func finish() throws(ArchiveError) {
    guard !isFinished else { return }
    try finishEntry()
    guard unsafe archive_write_close(archive) == ARCHIVE_OK, output.flush() else { throw error }
    isFinished = true
  }

  private func finishEntry() throws(ArchiveError) {
    data = nil
    guard output.failure == nil, unsafe archive_write_finish_entry(archive) >= ARCHIVE_WARN, output.failure == nil
    else { throw error }
  }

  /// Writes bytes to the tar without change.
  func writeStored(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
    guard unsafe archive_write_data(archive, bytes.baseAddress, bytes.count) == bytes.count else { throw error }
  }

  private var error: ArchiveError {
    if let failure = output.failure {
      return ArchiveError(.tar, "The tar cannot be written.", underlying: failure)
    }
    return unsafe ArchiveError(
      .tar, "The tar cannot be written: \(LibArchiveError.text(of: archive, isReading: false)).")
  }
}

extension TarWriter {
  /// Writes data of the current entry, in order; skipped ranges are zeros.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for data at an offset at which the entry has none.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ArchiveError) {
    var (offset, rest) = unsafe (offset, bytes)
    while unsafe !rest.isEmpty {
      guard let step = data?.step(to: offset, byteCount: rest.count) else {
        throw ArchiveError(.tar, "This entry of the tar has no data at byte \(offset).")
      }
      try writeZeros(step.zeroCount)
      try unsafe writeStored(UnsafeRawBufferPointer(rebasing: rest[..<step.byteCount]))
      offset += Int64(step.byteCount)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step.byteCount...])
    }
  }

  /// Writes data of the current entry from a span, as ``write(_:at:)-(UnsafeRawBufferPointer,_)`` does.
  package func write(_ bytes: borrowing Span<UInt8>, at offset: Int64) throws(ArchiveError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe write(bytes, at: offset) }
  }

  private func writeZeros(_ count: Int64) throws(ArchiveError) {
    var rest = count
    while rest > 0 {
      let count = min(rest, Int64(Self.zeros.count))
      try writeStored(Self.zeros.span.extracting(0..<Int(count)))
      rest -= count
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  func writeStored(_ bytes: borrowing Span<UInt8>) throws(ArchiveError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe writeStored(bytes) }
  }
}
