internal import CZlib
internal import CZstd

/// Gives content back as it was.
///
/// Not thread-safe: a thread has its own.
@safe
final class Decompressor {
  private let context: OpaquePointer

  /// - Throws: ``ArchiveError/Code/compression`` where there is no memory.
  init() throws(ArchiveError) {
    guard let context = unsafe ZSTD_createDCtx() else {
      throw ArchiveError(.compression, "There is no memory for a zstd context.")
    }
    unsafe self.context = context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// The content.
  ///
  /// - Parameters:
  ///   - bytes: What the compressor gave.
  ///   - method: By what it was made smaller.
  ///   - byteCount: The content's length, which the caller has found possible: so much memory is taken.
  /// - Returns: So many bytes.
  /// - Throws: ``ArchiveError/Code/damaged`` where it is not of that length, or no such content.
  func decompress(
    _ bytes: [UInt8], method: CompressionMethod, byteCount: Int
  ) throws(ArchiveError) -> [UInt8] {
    if method == .none {
      guard bytes.count == byteCount else { throw Self.damage("has \(bytes.count) bytes instead of \(byteCount)") }
      return bytes
    }
    var content = [UInt8](repeating: 0, count: byteCount)
    switch method {
    case .none: break
    case .zstd:
      let count = unsafe ZSTD_decompressDCtx(context, &content, byteCount, bytes, bytes.count)
      if ZSTD_isError(count) != 0 { throw Self.damage(unsafe String(cString: ZSTD_getErrorName(count))) }
      guard count == byteCount else { throw Self.damage("has \(count) bytes instead of \(byteCount)") }
    case .zlib:
      var count = uLong(byteCount)
      let status = unsafe uncompress(&content, &count, bytes, uLong(bytes.count))
      guard status == Z_OK, Int(count) == byteCount else { throw Self.damage("zlib gave status \(status)") }
    }
    return content
  }

  private static func damage(_ reason: String) -> ArchiveError {
    ArchiveError(.damaged, "A piece of content cannot be unpacked: \(reason).")
  }
}
