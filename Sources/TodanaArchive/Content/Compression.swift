internal import CZlib
internal import CZstd

/// The compression method and level for content.
public enum Compression: Sendable, Equatable {
  case none
  /// zstd with a level from 1 to 19.
  case zstd(level: Int)
  /// zlib with a level from 1 to 9.
  case zlib(level: Int)

  public static let standard = Compression.zstd(level: 3)

  /// Parses `none`, `zstd`, `zstd:LEVEL`, `zlib` or `zlib:LEVEL`.
  ///
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for any other text.
  public init(_ text: String) throws(ArchiveError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let level = parts.count > 1 ? Int(parts[1]) : nil
    switch (parts[0], parts.count) {
    case ("none", 1): self = .none
    case ("zstd", 1): self = .standard
    case ("zlib", 1): self = .zlib(level: 6)
    case ("zstd", _):
      guard let level, (1...19).contains(level) else { throw Self.refusal(text, "zstd has the levels 1 to 19") }
      self = .zstd(level: level)
    case ("zlib", _):
      guard let level, (1...9).contains(level) else { throw Self.refusal(text, "zlib has the levels 1 to 9") }
      self = .zlib(level: level)
    default: throw Self.refusal(text, "use none, zstd or zlib")
    }
  }

  private static func refusal(_ text: String, _ reason: String) -> ArchiveError {
    ArchiveError(.invalidArgument, "\"\(text)\" is not a compression method: \(reason), for example zstd:3.")
  }
}

extension Compression: CustomStringConvertible {
  /// The text that ``init(_:)`` parses.
  public var description: String {
    switch self {
    case .none: "none"
    case .zstd(let level): "zstd:\(level)"
    case .zlib(let level): "zlib:\(level)"
    }
  }
}

/// The compression method of stored content; the raw values are part of the format.
enum CompressionMethod: UInt8 {
  case none = 0
  case zstd = 1
  case zlib = 2
}

/// Compresses content if that saves space.
///
/// Not thread-safe: each thread has its own.
@safe
final class Compressor {
  private let compression: Compression
  private let context: OpaquePointer?
  /// The output buffer, which every call uses again.
  private var output: [UInt8] = []

  /// Creates a compressor for a method and level.
  ///
  /// - Throws: ``ArchiveError/Code/compression`` if there is no memory.
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

  /// Returns the compressed content, or the content itself if compression saves at most 1 %.
  func compress(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> (CompressionMethod, [UInt8]) {
    guard bytes.count > 0, try unsafe isWorthIt(bytes) else { return (.none, unsafe Array(bytes)) }
    let method: CompressionMethod
    let byteCount: Int
    switch compression {
    case .none: return (.none, unsafe Array(bytes))
    case .zstd(let level): (method, byteCount) = (.zstd, try unsafe compressWithZstd(bytes, level))
    case .zlib(let level): (method, byteCount) = (.zlib, try unsafe compressWithZlib(bytes, level))
    }
    // Decompression takes time as well, so a saving of 1 % is not worth it.
    if byteCount >= bytes.count - bytes.count / 100 { return (.none, unsafe Array(bytes)) }
    return (method, Array(output[..<byteCount]))
  }

  /// Compresses three samples to test whether content is compressible; compressed or encrypted data are not.
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

/// Decompresses content.
///
/// Not thread-safe: each thread has its own.
@safe
final class Decompressor {
  private let context: OpaquePointer

  /// Creates a decompressor for all methods.
  ///
  /// - Throws: ``ArchiveError/Code/compression`` if there is no memory.
  init() throws(ArchiveError) {
    guard let context = unsafe ZSTD_createDCtx() else {
      throw ArchiveError(.compression, "There is no memory for a zstd context.")
    }
    unsafe self.context = context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// The output buffer, which every call uses again.
  private var output: [UInt8] = []

  /// Calls back with the decompressed content, in memory that the next call uses again.
  ///
  /// The parameters and errors are those of ``decompress(_:method:byteCount:)``.
  func withContent<Value>(
    of bytes: [UInt8], method: CompressionMethod, byteCount: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    if method == .none {
      guard bytes.count == byteCount else { throw Self.damage("it has \(bytes.count) bytes instead of \(byteCount)") }
      return try unsafe bytes.withUnsafeBytes(body)
    }
    if output.count < byteCount { output = [UInt8](repeating: 0, count: byteCount) }
    try decompress(bytes, method, into: &output, byteCount)
    return try unsafe output.withUnsafeBytes { output in try unsafe body(.init(rebasing: output[..<byteCount])) }
  }

  /// Returns the decompressed content.
  ///
  /// - Parameters:
  ///   - bytes: The output of the compressor.
  ///   - method: The compression method.
  ///   - byteCount: The length of the content; this much memory is allocated, so the caller checks it first.
  /// - Returns: `byteCount` bytes.
  /// - Throws: ``ArchiveError/Code/damaged`` if the bytes are invalid, or the content has another length.
  func decompress(
    _ bytes: [UInt8], method: CompressionMethod, byteCount: Int
  ) throws(ArchiveError) -> [UInt8] {
    if method == .none {
      guard bytes.count == byteCount else { throw Self.damage("it has \(bytes.count) bytes instead of \(byteCount)") }
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
      guard count == byteCount else { throw Self.damage("it has \(count) bytes instead of \(byteCount)") }
    case .zlib:
      var count = uLong(byteCount)
      let status = unsafe uncompress(&content, &count, bytes, uLong(bytes.count))
      guard status == Z_OK, Int(count) == byteCount else { throw Self.damage("zlib failed with status \(status)") }
    }
  }

  private static func damage(_ reason: String) -> ArchiveError {
    ArchiveError(.damaged, "A piece of content cannot be decompressed: \(reason).")
  }
}
