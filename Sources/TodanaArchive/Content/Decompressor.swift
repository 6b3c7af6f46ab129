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

  /// Memory that is used again from call to call.
  private var output: [UInt8] = []

  /// Calls back with the content, which stands in memory that is used again.
  ///
  /// See ``decompress(_:method:byteCount:)``.
  func withContent<Value>(
    of bytes: [UInt8], method: CompressionMethod, byteCount: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    if method == .none {
      guard bytes.count == byteCount else { throw Self.damage("has \(bytes.count) bytes instead of \(byteCount)") }
      return try unsafe bytes.withUnsafeBytes(body)
    }
    if output.count < byteCount { output = [UInt8](repeating: 0, count: byteCount) }
    try decompress(bytes, method, into: &output, byteCount)
    return try unsafe output.withUnsafeBytes { output in try unsafe body(.init(rebasing: output[..<byteCount])) }
  }

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
    try decompress(bytes, method, into: &content, byteCount)
    return content
  }

  private func decompress(
    _ bytes: [UInt8], _ method: CompressionMethod, into content: inout [UInt8], _ byteCount: Int
  ) throws(ArchiveError) {
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
  }

  private static func damage(_ reason: String) -> ArchiveError {
    ArchiveError(.damaged, "A piece of content cannot be unpacked: \(reason).")
  }
}
