internal import CSealing

/// The keys of an encrypted backend, which its stores seal their records with.
///
/// Opaque: the keys themselves are kept in locked memory, never leave it, and are wiped when the last holder goes.
@safe
public final class KeyRing: Sendable {
  /// What it points to is safe to call from any thread.
  @safe
  private struct Pointer: @unchecked Sendable {
    let raw: OpaquePointer
  }

  private let pointer: Pointer

  /// Takes over a ring.
  init(_ raw: OpaquePointer) { unsafe pointer = Pointer(raw: raw) }

  /// Lends the ring to C.
  func withRaw<Result>(_ body: (OpaquePointer) -> Result) -> Result { unsafe body(pointer.raw) }

  deinit { unsafe tds_key_ring_release(pointer.raw) }

  /// What the records are sealed with.
  public var cipher: StoreCipher {
    unsafe StoreCipher(rawValue: tds_key_ring_cipher(pointer.raw)) ?? .aes128
  }

  /// What is sealed from now on is sealed under this epoch's key.
  var epoch: UInt32 { unsafe tds_key_ring_epoch(pointer.raw) }

  /// Random nonces, one behind the other, each for one record.
  func drawNonces(into buffer: UnsafeMutableRawBufferPointer) throws(BackendError) {
    guard let base = buffer.baseAddress else { return }
    let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
    guard unsafe tds_draw_nonces(pointer.raw, bytes, buffer.count / Sealer.nonceByteCount) else { throw Sealer.failure }
  }

  func makeSealer() throws(BackendError) -> Sealer {
    guard let raw = unsafe tds_sealer_create(pointer.raw) else { throw Sealer.failure }
    return unsafe Sealer(raw)
  }

  /// The room that an envelope takes before the version byte and content of a record.
  static func headerByteCount(epoch: UInt32) -> Int { tds_header_size(epoch) }
}

/// What an encrypted store's records are sealed with: AES in Galois/Counter Mode, which authenticates.
public enum StoreCipher: Int32, Sendable, CaseIterable {
  case aes128 = 1
  case aes256 = 2
}
