internal import CZlib
internal import CZstd

/// Makes content smaller, where that is worth it.
///
/// Not thread-safe: a thread has its own.
@safe
final class Compressor {
  private let compression: Compression
  private let context: OpaquePointer?
  /// What comes out, reused from call to call.
  private var output: [UInt8] = []

  /// - Throws: ``ArchiveError/Code/compression`` where there is no memory.
  init(_ compression: Compression) throws(ArchiveError) {
    self.compression = compression
    guard case .zstd = compression else {
      unsafe context = nil
      return
    }
    guard let context = unsafe ZSTD_createCCtx() else {
      throw ArchiveError(.compression, "There is no memory for a zstd context.")
    }
    unsafe self.context = context
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  /// The content, made smaller unless it is not getting smaller.
  func compress(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> (CompressionMethod, [UInt8]) {
    guard bytes.count > 0, try unsafe isWorthIt(bytes) else { return (.none, unsafe Array(bytes)) }
    let method: CompressionMethod
    let byteCount: Int
    switch compression {
    case .none: return (.none, unsafe Array(bytes))
    case .zstd(let level): (method, byteCount) = (.zstd, try unsafe compressWithZstd(bytes, level))
    case .zlib(let level): (method, byteCount) = (.zlib, try unsafe compressWithZlib(bytes, level))
    }
    // Unpacking takes time as well: a hundredth less is not worth it.
    if byteCount >= bytes.count - bytes.count / 100 { return (.none, unsafe Array(bytes)) }
    return (method, Array(output[..<byteCount]))
  }

  /// A quick look at parts of it: what is compressed or encrypted already does not get smaller.
  private func isWorthIt(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Bool {
    guard case .zstd(let level) = compression, bytes.count >= 8 * Self.sampleByteCount, level < 10 else { return true }
    var gain = 0
    for part in 0..<3 {
      let start = (bytes.count - Self.sampleByteCount) / 2 * part
      let sample = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.sampleByteCount])
      gain += Self.sampleByteCount - (try unsafe compressWithZstd(sample, 1))
    }
    return gain > 3 * Self.sampleByteCount / 50
  }

  private static let sampleByteCount = 8 << 10

  private func compressWithZstd(_ bytes: UnsafeRawBufferPointer, _ level: Int) throws(ArchiveError) -> Int {
    reserveOutput(ZSTD_compressBound(bytes.count))
    let count = unsafe output.withUnsafeMutableBytes { output in
      unsafe ZSTD_compressCCtx(context, output.baseAddress, output.count, bytes.baseAddress, bytes.count, Int32(level))
    }
    if ZSTD_isError(count) != 0 {
      throw ArchiveError(.compression, "zstd failed: \(unsafe String(cString: ZSTD_getErrorName(count))).")
    }
    return count
  }

  private func compressWithZlib(_ bytes: UnsafeRawBufferPointer, _ level: Int) throws(ArchiveError) -> Int {
    var count = compressBound(uLong(bytes.count))
    reserveOutput(Int(count))
    let status = unsafe output.withUnsafeMutableBytes { output in
      unsafe compress2(
        output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), uLong(bytes.count), Int32(level))
    }
    if status != Z_OK { throw ArchiveError(.compression, "zlib failed with status \(status).") }
    return Int(count)
  }

  private func reserveOutput(_ byteCount: Int) {
    if output.count < byteCount { output = [UInt8](repeating: 0, count: byteCount) }
  }
}
