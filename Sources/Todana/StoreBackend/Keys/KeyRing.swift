internal import CSealing

/// The keys of an encrypted backend, with which its stores seal their records.
///
/// It is opaque: the keys are kept in locked memory, never leave it, and are wiped with the last reference.
@safe
public final class KeyRing: Sendable {
  /// A pointer to a C object that is safe to use from any thread.
  @safe
  private struct Pointer: @unchecked Sendable {
    let raw: OpaquePointer
  }

  private let pointer: Pointer

  /// Takes ownership of a ring.
  init(_ raw: OpaquePointer) { unsafe pointer = Pointer(raw: raw) }

  /// Calls `body` with the ring for C.
  func withRaw<Result>(_ body: (OpaquePointer) -> Result) -> Result { unsafe body(pointer.raw) }

  deinit { unsafe tds_key_ring_release(pointer.raw) }

  /// The cipher that seals the records.
  public var cipher: StoreCipher {
    unsafe StoreCipher(rawValue: tds_key_ring_cipher(pointer.raw)) ?? .aes128
  }

  /// The epoch of the key that seals new data.
  var epoch: UInt32 { unsafe tds_key_ring_epoch(pointer.raw) }

  /// Fills a buffer with random nonces, each for one record.
  func drawNonces(into buffer: UnsafeMutableRawBufferPointer) throws(BackendError) {
    guard let base = buffer.baseAddress else { return }
    let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
    guard unsafe tds_draw_nonces(pointer.raw, bytes, buffer.count / Sealer.nonceByteCount) else { throw Sealer.failure }
  }

  func makeSealer() throws(BackendError) -> Sealer {
    guard let raw = unsafe tds_sealer_create(pointer.raw) else { throw Sealer.failure }
    return unsafe Sealer(raw)
  }

  /// Returns the size of an envelope's header, before the version byte and content of a record.
  static func headerByteCount(epoch: UInt32) -> Int { tds_header_size(epoch) }
}

/// The cipher of an encrypted store's records: AES in Galois/Counter Mode, which authenticates.
public enum StoreCipher: Int32, Sendable, CaseIterable {
  case aes128 = 1
  case aes256 = 2
}
