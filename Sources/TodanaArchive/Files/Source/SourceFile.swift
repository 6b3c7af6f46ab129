internal import CFileSystem
internal import Glibc

/// A regular file that is read; closed with the last reference.
///
/// Any thread.
package final class SourceFile: Sendable {
  private let file: CInt
  private let path: EntryPath
  private let firstStatus: tdf_status

  /// Takes a descriptor over, also where this throws.
  ///
  /// - Parameters:
  ///   - file: What was opened for reading.
  ///   - path: For messages.
  ///   - identity: Of the file that it has to be; nil where it may be any.
  /// - Throws: ``FileError/Code/changed`` where it is not that file, or not a regular one.
  init(_ file: CInt, _ path: EntryPath, expecting identity: FileIdentity? = nil) throws(FileError) {
    self.file = file
    self.path = path
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    firstStatus = status
    guard result == 0 else { throw FileError(.readStatus, path.bytes, errorNumber: -result) }
    guard status.mode & S_IFMT == S_IFREG, identity == nil || FileIdentity(status) == identity else {
      throw FileError(.open, path.bytes, .changed)
    }
  }

  deinit { _ = tdf_close(file) }

  /// What there is to know of the file but its data.
  func entry(named name: [UInt8], _ owners: OwnerNames, onWarning: (FileError) -> Void) -> FileEntry {
    let reader = EntryReader(file: file, path: path, owners: owners)
    return EntryReader.entry(
      named: name, firstStatus, .regular, owners, reader.attributes(onWarning), reader.flags(of: .regular, onWarning))
  }

  /// Its flags, as `chattr` sets them.
  func flags(onWarning: (FileError) -> Void) -> FileFlags {
    EntryReader(file: file, path: path, owners: OwnerNames()).flags(of: .regular, onWarning)
  }

  /// Bytes that the file had when it was opened, holes included.
  package var byteCount: Int64 { firstStatus.byte_count }

  /// Whether it has storage for all of its bytes, so that none are in a hole, though some may never have been written.
  package var isAllocated: Bool { firstStatus.allocated_byte_count >= byteCount }

  /// The next bytes that are not in a hole; nil where only a hole, or nothing, is left of ``byteCount``.
  ///
  /// A file system that knows nothing of holes has data everywhere. What lies in a hole reads as zeros. `offset` is in
  /// bytes, and not negative.
  package func nextData(from offset: Int64) throws(FileError) -> Range<Int64>? {
    guard offset >= 0 else { throw FileError(.readData, path.bytes, .badValue) }
    guard offset < byteCount else { return nil }
    let start = tdf_next_data(file, offset)
    if start == -Int64(ENXIO) { return nil }
    if start == -Int64(EINVAL) || start == -Int64(EOPNOTSUPP) { return offset..<byteCount }
    guard start >= 0 else { throw error(start) }
    guard start >= offset, start < byteCount else { return nil }
    let end = tdf_next_hole(file, start)
    // The file was cut off between the two calls.
    if end == -Int64(ENXIO) { return nil }
    guard end >= 0 else { throw error(end) }
    return start < end ? start..<min(end, byteCount) : nil
  }

  /// Fills a buffer with the bytes from an offset on.
  ///
  /// Returns how many bytes; fewer than the buffer has only at the end of the file, which may be nearer by now than
  /// ``byteCount``.
  package func read(into buffer: inout MutableSpan<UInt8>, at offset: Int64) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(FileError) in try unsafe read(into: bytes, at: offset) }
  }

  /// As ``read(into:at:)-(MutableSpan<UInt8>,_)``, for memory that the caller keeps otherwise.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    let result = unsafe tdf_read_at(file, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count, offset)
    guard result >= 0 else { throw error(result) }
    return Int(result)
  }

  /// Whether the file was written to, or cut off, since it was seen: what was read may then be of two states.
  package func hasChanged(since entry: FileEntry) throws(FileError) -> Bool {
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { throw error(Int64(result)) }
    return status.byte_count != entry.byteCount || .modification(status) != entry.modificationTime
  }

  /// How the file is going to be read.
  package enum Advice: Sendable {
    case sequential
    case willNeed
    /// What was read need not stay in memory.
    case doNotNeed
  }

  /// Tells the system how a part of the file is going to be read; it may do nothing about it.
  package func advise(_ advice: Advice, from offset: Int64 = 0, byteCount: Int64 = 0) {
    let value: tdf_advice =
      switch advice {
      case .sequential: TDF_SEQUENTIAL
      case .willNeed: TDF_WILL_NEED
      case .doNotNeed: TDF_DO_NOT_NEED
      }
    _ = tdf_advise(file, offset, byteCount, value)
  }

  private func error(_ result: Int64) -> FileError {
    FileError(.readData, path.bytes, errorNumber: CInt(-result))
  }
}
