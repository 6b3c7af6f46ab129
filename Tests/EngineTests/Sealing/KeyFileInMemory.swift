import CSealingProbe

/// A key file of the sealing layer, used through CSealingProbe.
@safe
final class KeyFileInMemory {
  private let raw: OpaquePointer

  enum Secret {
    case passphrase(String)
    case key([UInt8])
    case recoveryKey([UInt8])
  }

  static let storeID = (0..<16).map { UInt8($0) }
  static let master = (100..<132).map { UInt8($0) }

  /// Creates a key file with the keys that every store has, and without slots.
  init(cipher: Int32 = 1) {
    unsafe raw = probe_key_file_create(Self.storeID, cipher)
    unsafe probe_key_file_set_master(raw, Self.master)
    for purpose in Int32(1)...4 {
      let key = [UInt8](repeating: UInt8(purpose), count: 32)
      unsafe probe_key_file_add_key(raw, purpose, 1, key)
    }
  }

  /// Parses a key file.
  ///
  /// - Throws: The `tds_code`.
  init(parsing bytes: [UInt8]) throws(Failure) {
    var code: Int32 = 0
    let parsed = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe probe_key_file_parse(probe_bytes(bytes: buffer.baseAddress, count: buffer.count), &code)
    }
    guard let parsed = unsafe parsed else { throw Failure(code: tds_code(UInt32(code))) }
    unsafe raw = parsed
  }

  deinit { unsafe probe_key_file_free(raw) }

  struct Failure: Error, Equatable {
    let code: tds_code
    init(code: tds_code) { self.code = code }
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe probe_key_file_bytes(raw, &bytes, bytes.count)
    return Array(bytes[..<count])
  }

  @discardableResult
  func add(_ secret: Secret, log2N: UInt8 = 1) throws(Failure) -> UInt32 {
    var slot: UInt32 = 0
    try check(unsafe lend(secret) { unsafe probe_key_file_add(raw, $0, log2N, &slot) })
    return slot
  }

  func remove(_ slot: UInt32) throws(Failure) { try check(unsafe probe_key_file_remove(raw, slot)) }

  func addKey(purpose: Int32, number: UInt32, _ key: [UInt8]) throws(Failure) {
    try check(unsafe probe_key_file_add_key(raw, purpose, number, key))
  }

  func unlock(_ secret: Secret) throws(Failure) -> (master: [UInt8], slot: UInt32) {
    var master = [UInt8](repeating: 0, count: 32)
    var slot: UInt32 = 0
    try check(unsafe lend(secret) { unsafe probe_key_file_unlock(raw, $0, &master, &slot) })
    return (master, slot)
  }

  /// Returns the epoch in which data would be sealed; throws if any key is unavailable.
  func epoch() throws(Failure) -> UInt32 {
    var code: Int32 = 0
    guard let ring = unsafe probe_key_file_ring(raw, &code) else { throw Failure(code: tds_code(UInt32(code))) }
    defer { unsafe tds_key_ring_release(ring) }
    return unsafe tds_key_ring_epoch(ring)
  }

  /// Returns the plaintext of a row's envelope, or nil if it cannot be opened.
  func open(_ envelope: [UInt8], keyspace: UInt32, row: UInt64) throws(Failure) -> [UInt8]? {
    var code: Int32 = 0
    guard let ring = unsafe probe_key_file_ring(raw, &code) else { throw Failure(code: tds_code(UInt32(code))) }
    defer { unsafe tds_key_ring_release(ring) }
    guard let sealer = unsafe tds_sealer_create(ring) else { throw Failure(code: TDS_NO_MEMORY) }
    defer { unsafe tds_sealer_free(sealer) }
    var output = envelope
    var offset = 0
    var count = 0
    let outcome = unsafe tds_open_row(sealer, keyspace, row, envelope, envelope.count, &output, &offset, &count)
    return outcome == TDS_OPENED.rawValue ? Array(output[offset..<offset + count]) : nil
  }

  private func check(_ code: Int32) throws(Failure) {
    if code != 0 { throw Failure(code: tds_code(UInt32(code))) }
  }

  private func lend(_ secret: Secret, _ body: (UnsafePointer<tds_secret>) -> Int32) -> Int32 {
    let (kind, bytes) =
      switch secret {
      case .passphrase(let text): (TDS_SECRET_PASSPHRASE, Array(text.utf8))
      case .key(let key): (TDS_SECRET_KEY, key)
      case .recoveryKey(let key): (TDS_SECRET_RECOVERY_KEY, key)
      }
    // Append a byte, so that an empty secret has an address, too.
    return unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return -1 }
      var lent = unsafe tds_secret(kind: Int32(kind.rawValue), bytes: base, byte_count: bytes.count)
      return unsafe body(&lent)
    }
  }
}
