internal import CFileSystem
internal import Glibc

/// A regular file that is open for reading, closed when the last reference is released.
///
/// Thread-safe.
package final class SourceFile: Sendable {
  private let file: CInt
  private let path: EntryPath
  private let firstStatus: tdf_status

  /// Takes ownership of a descriptor, which is closed even if this throws.
  ///
  /// - Parameters:
  ///   - file: A descriptor that is open for reading.
  ///   - path: The path for messages.
  ///   - identity: The identity that the file must have; nil accepts any regular file.
  /// - Throws: ``FileError/Code/changed`` if it has another identity, or is not a regular file.
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

  /// Returns the metadata of the file, with the status it had when it was opened.
  func entry(named name: [UInt8], _ owners: OwnerNames, onWarning: (FileError) -> Void) -> FileEntry {
    let reader = EntryReader(file: file, path: path, owners: owners)
    return EntryReader.entry(
      named: name, firstStatus, .regular, owners, reader.attributes(onWarning), reader.flags(of: .regular, onWarning))
  }

  /// Returns the flags that `chattr` sets.
  func flags(onWarning: (FileError) -> Void) -> FileFlags {
    EntryReader(file: file, path: path, owners: OwnerNames()).flags(of: .regular, onWarning)
  }

  /// The length of the file in bytes when it was opened, holes included.
  package var byteCount: Int64 { firstStatus.byte_count }

  /// Whether storage is allocated for the whole file, so that it has no holes.
  ///
  /// Some of the storage may never have been written.
  package var isAllocated: Bool { firstStatus.allocated_byte_count >= byteCount }

  /// Returns the next range of data at or after an offset; nil if no data follow before ``byteCount``.
  ///
  /// Holes read as zeros. If the file system does not report holes, the whole file counts as data. `offset` is in
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
    // The file was truncated between the two calls.
    if end == -Int64(ENXIO) { return nil }
    guard end >= 0 else { throw error(end) }
    return start < end ? start..<min(end, byteCount) : nil
  }

  /// Reads bytes from an offset into a buffer.
  ///
  /// - Returns: The number of bytes read. It is less than the buffer's size only at the end of the file, which may have
  ///   been truncated since it was opened.
  package func read(into buffer: inout MutableSpan<UInt8>, at offset: Int64) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(FileError) in try unsafe read(into: bytes, at: offset) }
  }

  /// Reads bytes from an offset into raw memory; see ``read(into:at:)-(MutableSpan<UInt8>,_)``.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    let result = unsafe tdf_read_at(file, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count, offset)
    guard result >= 0 else { throw error(result) }
    return Int(result)
  }

  /// Tests whether the file's size or modification time differs from an entry.
  ///
  /// If so, it was written or truncated since, and the data read may mix two states.
  package func hasChanged(since entry: FileEntry) throws(FileError) -> Bool {
    var status = tdf_status()
    let result = unsafe tdf_get_status(file, &status)
    guard result == 0 else { throw error(Int64(result)) }
    return status.byte_count != entry.byteCount || .modification(status) != entry.modificationTime
  }

  /// The expected access pattern.
  package enum Advice: Sendable {
    case sequential
    case willNeed
    /// The data read so far need not stay in memory.
    case doNotNeed
  }

  /// Tells the system the expected access pattern of a range; the system may ignore it.
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
