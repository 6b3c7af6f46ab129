internal import CLibArchive

/// Writes a tar stream, as POSIX pax has it, which GNU tar, bsdtar and Python read.
///
/// ```swift
/// let writer = try TarWriter(to: file, name: Array("backup.tar".utf8))
/// try writer.add(TarEntry(path: path, entry: entry))
/// try writer.write(bytes, at: 0)          // of a regular file, from its start to its end
/// try writer.finish()
/// ```
///
/// Names may be any bytes; no locale has a say. What does not come out as it was, and where:
/// - Access control lists have numbers, not names, of users and groups. GNU tar restores them with `--acls`.
/// - GNU tar restores attributes outside of "user." only with `--xattrs --xattrs-include='*'`. Of each name that is not
///   ASCII it says that it does not know of `hdrcharset`, and restores it.
/// - bsdtar (libarchive) does not restore attributes of "system." other than these lists, and takes "%25" and "%3D"
///   in an attribute's name, where "%" and "=" were, as they are. It takes fractions of seconds before 1970 for a
///   second more.
/// - An entry of another name of a file has that file's metadata again, which readers leave alone.
///
/// One thread at a time. Once something could not be written, every call throws; what was written is no whole tar then.
@safe
package final class TarWriter {
  private let archive: OpaquePointer
  private let output: TarOutput
  /// Where data are to be written; nil between entries that have some.
  var data: TarDataPosition?
  private var isFinished = false

  /// Writes to a function, which gets pieces of any size, many of them small.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` where there is no memory.
  package convenience init(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws(ArchiveError) {
    try self.init(unsafe TarOutput(sink, flush: {}))
  }

  /// Writes to a file, a pipe or a socket, which the caller closes.
  ///
  /// - Parameters:
  ///   - file: Open for writing. A pipe that nobody reads any more is an error (`EPIPE`), and no signal.
  ///   - name: What errors say of it.
  /// - Throws: ``ArchiveError/Code/tar`` where there is no memory.
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
    // Pieces go on as they are made: what is written in a header has to be known when it is done.
    let results = unsafe [
      archive_write_set_format_pax(archive), archive_write_add_filter_none(archive),
      archive_write_set_bytes_per_block(archive, 0), archive_write_set_options(archive, "hdrcharset=BINARY"),
      output.open(archive),
    ]
    if results.contains(where: { $0 != ARCHIVE_OK }) { throw error }
  }

  deinit {
    // Else it would write an end here.
    if !isFinished { unsafe archive_write_fail(archive) }
    unsafe archive_write_free(archive)
  }

  /// Begins an entry; the one before it is padded with zeros where not all of its data were written.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for what tar cannot have: sockets, absolute paths, more than 1 MiB of
  ///   attributes. Nothing was written of it then, and other entries may follow.
  package func add(_ entry: TarEntry) throws(ArchiveError) {
    try finishEntry()
    let header = try TarHeader(entry)
    let record = try LibArchiveEntry()
    record.fill(
      header.entry, path: header.path, hardLinkTarget: header.hardLinkTarget, storedByteCount: header.storedByteCount)
    LibArchiveError.forgetNumber()
    let (result, bytes) = output.capture { unsafe archive_write_header(archive, record.pointer) }
    // A warning says that a block has no room for something, which is among the records.
    guard result >= ARCHIVE_WARN else { throw error }
    guard output.write(try header.bytes(completing: bytes)) else { throw error }
    if let map = header.map { try writeStored(map.header.span) }
    if entry.hasData { data = TarDataPosition(header.map?.ranges ?? [0..<entry.entry.byteCount]) }
  }

  /// Writes the end of the stream; the last call.
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

  /// Writes bytes as they are in the tar.
  func writeStored(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
    guard unsafe archive_write_data(archive, bytes.baseAddress, bytes.count) == bytes.count else { throw error }
  }

  private var error: ArchiveError {
    if let failure = output.failure {
      return ArchiveError(.tar, "A tar cannot be written.", underlying: failure)
    }
    return unsafe ArchiveError(.tar, "A tar cannot be written: \(LibArchiveError.text(of: archive, isReading: false)).")
  }
}

extension TarWriter {
  /// Writes data of the entry that was added last, in order; what is left out reads as zeros.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for data where the entry has none.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ArchiveError) {
    var (offset, rest) = unsafe (offset, bytes)
    while unsafe !rest.isEmpty {
      guard let step = data?.step(to: offset, byteCount: rest.count) else {
        throw ArchiveError(.tar, "There are no data to be at byte \(offset) of this entry of a tar.")
      }
      try writeZeros(step.zeroCount)
      try unsafe writeStored(UnsafeRawBufferPointer(rebasing: rest[..<step.byteCount]))
      offset += Int64(step.byteCount)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step.byteCount...])
    }
  }

  /// As ``write(_:at:)-(UnsafeRawBufferPointer,_)``, for bytes that are no raw memory.
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
