internal import CLibArchive
internal import Glibc

/// The bytes of a tar, decompressed if necessary; the most recent ones are kept, so that headers can be read again.
///
/// One libarchive object decompresses the bytes, and ``TarReader`` passes them to a second one, which parses the tar.
/// Headers are read again because the second object does not return all their records.
@safe
final class TarInput {
  private static let pieceByteCount = 64 << 10
  /// The memory for recent bytes.
  ///
  /// libarchive accepts special headers of 1 MiB each, and rarely more than three precede an entry.
  private static let memoryByteCount = 8 << 20

  private let archive: OpaquePointer
  private let file: DescriptorInput
  private var filter = LongHeaderFilter()
  /// A ring buffer, in which the position of a byte is its offset modulo the size.
  ///
  /// Only the last piece is short, so no piece wraps around the end of the buffer.
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of bytes returned so far.
  private(set) var end: Int64 = 0
  /// The offset after the last returned byte that is not zero.
  private var lastEnd: Int64 = 0
  private var isOpen = false
  /// Whether the input has no bytes at all; libarchive then has no entry whose data could be read.
  private var isEmpty = false
  private(set) var failure: ArchiveError?

  /// Reads from a descriptor, which must stay open as long as this object exists.
  ///
  /// While it waits for input, reading fails if `hasStopped` returns true.
  init(_ file: CInt, _ hasStopped: @escaping @Sendable () -> Bool) throws(ArchiveError) {
    self.file = DescriptorInput(file, hasStopped)
    guard let archive = unsafe archive_read_new() else { throw ArchiveError(.tar, "There is no memory for a tar.") }
    unsafe self.archive = archive
    unsafe memory = .allocate(byteCount: Self.memoryByteCount, alignment: 16)
    // `ARCHIVE_WARN` means that an external program decompresses.
    let results = unsafe [
      archive_read_support_filter_gzip(archive), archive_read_support_filter_zstd(archive),
      archive_read_support_filter_xz(archive), archive_read_support_filter_bzip2(archive),
      archive_read_support_format_raw(archive), archive_read_support_format_empty(archive),
    ]
    guard results.allSatisfy({ $0 >= ARCHIVE_WARN }),
      openFile() == ARCHIVE_OK
    else { throw error }
  }

  private func openFile() -> CInt {
    unsafe archive_read_open(
      archive, Unmanaged.passUnretained(file).toOpaque(), nil,
      { _, file, bytes in
        guard let file = unsafe file, let bytes = unsafe bytes else { return -1 }
        // The input lives as long as the archive.
        let piece = unsafe Unmanaged<DescriptorInput>.fromOpaque(file).takeUnretainedValue().next()
        guard let piece = unsafe piece else { return -1 }
        unsafe bytes.pointee = piece.baseAddress
        return piece.count
      }, nil)
  }

  deinit {
    unsafe archive_read_free(archive)
    unsafe memory.deallocate()
  }

  /// Returns the next piece, which is empty at the end; nil after a failure.
  ///
  /// The piece stays valid during the next 127 calls.
  func next() -> UnsafeRawBufferPointer? {
    guard failure == nil, open() else { return nil }
    let start = Int(end % Int64(Self.memoryByteCount))
    let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + Self.pieceByteCount])
    // No data follow a short piece.
    guard !isEmpty, start % Self.pieceByteCount == 0 else {
      return unsafe UnsafeRawBufferPointer(rebasing: piece[..<0])
    }
    let count = unsafe filter.read(into: piece) { unsafe archive_read_data(archive, $0.baseAddress, $0.count) }
    guard count >= 0 else {
      failure = error
      return nil
    }
    // Indices of a piece begin with 0.
    if let last = unsafe piece[..<count].lastIndex(where: { $0 != 0 }) { lastEnd = end + Int64(last) + 1 }
    end += Int64(count)
    return unsafe UnsafeRawBufferPointer(rebasing: piece[..<count])
  }

  private func open() -> Bool {
    if isOpen { return true }
    var entry: OpaquePointer?
    let result = unsafe archive_read_next_header(archive, &entry)
    isEmpty = result == ARCHIVE_EOF
    isOpen = result == ARCHIVE_OK || result == ARCHIVE_WARN || isEmpty
    if !isOpen { failure = error }
    return isOpen
  }

  /// Returns recently returned bytes again; nil if they are not kept.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= Self.memoryByteCount, offset <= end - Int64(count),
      offset >= end - Int64(Self.memoryByteCount - Self.pieceByteCount)
    else { return nil }
    let start = Int(offset % Int64(Self.memoryByteCount))
    let first = min(count, Self.memoryByteCount - start)
    return unsafe Array(memory[start..<start + first]) + Array(memory[..<(count - first)])
  }

  /// Tests whether at least `count` bytes, and only zeros, were returned from an offset on.
  func hasZeros(from offset: Int64, count: Int) -> Bool { lastEnd <= offset && end - offset >= Int64(count) }

  /// Tests whether bytes other than zeros follow the compressed data; reads the file to its end.
  ///
  /// With gzip and bzip2, libarchive mistakes such bytes for the end of the data.
  func hasBytesBehindCompressed() -> Bool {
    guard isOpen, unsafe archive_filter_count(archive) > 1 else { return false }
    let used = unsafe archive_filter_bytes(archive, -1)
    return file.hasContent(in: file.byteCount - used)
  }

  private var error: ArchiveError {
    if let failure = file.failure { return ArchiveError(.tar, "The tar cannot be read.", underlying: failure) }
    return unsafe ArchiveError(.tar, "The tar cannot be read: \(LibArchiveError.text(of: archive)).")
  }
}

/// An input that reads a file or pipe in pieces, and waits for data until it is stopped.
@safe
final class DescriptorInput {
  private static let pieceByteCount = 64 << 10
  private static let name = Array("the tar stream".utf8)

  private let file: CInt
  private let hasStopped: @Sendable () -> Bool
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var failure: FileError?
  /// The number of bytes returned so far.
  private(set) var byteCount: Int64 = 0
  private var lastCount = 0

  init(_ file: CInt, _ hasStopped: @escaping @Sendable () -> Bool) {
    self.file = file
    self.hasStopped = hasStopped
    unsafe memory = .allocate(byteCount: Self.pieceByteCount, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Tests whether the last `left` returned bytes, or the bytes still to come, contain others than zeros; reads to the
  /// end.
  ///
  /// Bytes before the last piece are not kept, and count as zeros.
  func hasContent(in left: Int64) -> Bool {
    let count = Int(min(max(left, 0), Int64(lastCount)))
    if unsafe memory[(lastCount - count)..<lastCount].contains(where: { $0 != 0 }) { return true }
    while let piece = unsafe next(), unsafe !piece.isEmpty {
      if unsafe piece.contains(where: { $0 != 0 }) { return true }
    }
    return false
  }

  /// Returns the next piece, which is empty at the end and valid until the next call; nil after a failure.
  func next() -> UnsafeRawBufferPointer? {
    while true {
      // Wait with a time limit: after a signal, `read` would continue to wait.
      var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      // `poll` ignores a negative descriptor, and would time out forever.
      if file >= 0, unsafe poll(&waiting, 1, 100) == 0 {
        guard hasStopped() else { continue }
        failure = FileError(.readData, Self.name, .skipped)
        return nil
      }
      let count = unsafe read(file, memory.baseAddress, memory.count)
      if count >= 0 {
        byteCount += Int64(count)
        if count > 0 { lastCount = count }
        return unsafe UnsafeRawBufferPointer(rebasing: memory[..<count])
      }
      if errno == EINTR || errno == EAGAIN { continue }
      failure = FileError(.readData, Self.name, errorNumber: errno)
      return nil
    }
  }
}

/// An open file, which is closed with this object.
final class OpenedFile {
  let descriptor: CInt

  init(_ path: [UInt8]) throws(ArchiveError) {
    guard !path.contains(0) else {
      throw ArchiveError(.tar, "The tar cannot be read.", underlying: FileError(.open, path, .badName))
    }
    descriptor = unsafe (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { path in
      guard let start = path.baseAddress else { return -1 }
      return unsafe open(start, O_RDONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      throw ArchiveError(.tar, "The tar cannot be read.", underlying: FileError(.open, path, errorNumber: errno))
    }
  }

  deinit { close(descriptor) }
}
