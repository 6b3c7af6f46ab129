internal import CLibCrypto
public import Todana

/// The name of a piece of content: the first 16 bytes of the HMAC-SHA256 of its bytes under a key of the archive.
///
/// Equal content has the same name, and is stored once. Without the key, a name reveals nothing about its content. A
/// collision is not expected in practice: it takes about 2^64 contents.
public struct ContentName: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  static let byteCount = 16

  /// Creates a name from the first 16 bytes; nil if there are fewer.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  func write(to buffer: inout DataBuffer) {
    buffer.writeUInt64(high)
    buffer.writeUInt64(low)
  }

  init(from buffer: inout DataBuffer) throws(DataBufferError) {
    high = try buffer.readUInt64()
    low = try buffer.readUInt64()
  }
}

extension ContentName: CustomStringConvertible {
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

extension ContentName: OrderedValue {
  public static var indexedTypeName: String { "ContentName" }

  public func writeKey(to key: inout KeyWriter) {
    key.append(bigEndian: high)
    key.append(bigEndian: low)
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> ContentName {
    let high: UInt64 = try key.readBigEndian()
    return ContentName(high: high, low: try key.readBigEndian())
  }

  public static func isEqual(_ lhs: ContentName, _ rhs: ContentName) -> Bool { lhs == rhs }

  public static func precedes(_ lhs: ContentName, _ rhs: ContentName) -> Bool {
    lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
  }
}

/// HMAC-SHA256 (RFC 2104, FIPS 180-4) under one key, computed by libcrypto.
///
/// Not thread-safe: each thread has its own.
@safe
final class KeyedHash {
  static let byteCount = 32

  private let context: OpaquePointer

  /// Creates a hash with a key of any length.
  ///
  /// - Throws: ``ArchiveError/Code/cryptography``.
  init(key: [UInt8]) throws(ArchiveError) {
    guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw Self.failure }
    defer { unsafe EVP_MAC_free(method) }
    guard let context = unsafe EVP_MAC_CTX_new(method) else { throw Self.failure }
    unsafe self.context = context
    // The parameter stores pointers to its name and value, so both must live until the context is initialized.
    var digest = Array("SHA256".utf8CString)
    let isReady = unsafe "digest".withCString { name in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        let parameters = unsafe [
          OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return unsafe EVP_MAC_init(context, key, key.count, parameters) == 1
      }
    }
    if !isReady {
      unsafe EVP_MAC_CTX_free(context)
      throw Self.failure
    }
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// Returns the 32 bytes of the hash.
  func hash(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    var byteCount = 0
    // A null key keeps the current one.
    let isDone =
      unsafe EVP_MAC_init(context, nil, 0, nil) == 1
      && EVP_MAC_update(context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) == 1
      && EVP_MAC_final(context, &hash, &byteCount, hash.count) == 1
    guard isDone, byteCount == Self.byteCount else { throw Self.failure }
    return hash
  }

  func hash(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
    try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe hash(bytes) }
  }

  func name(of bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> ContentName {
    guard let name = ContentName(try unsafe hash(bytes)) else { throw Self.failure }
    return name
  }

  private static var failure: ArchiveError {
    ArchiveError(.cryptography, "libcrypto could not compute an HMAC-SHA256.")
  }
}
