internal import CSealing

// The file of keys (`docs/formats/key-file.md`), for backends that store it themselves.
extension KeyRing {
  /// Creates the keys of a new store.
  ///
  /// For implementers of ``StoreBackend``. The file contains the keys encrypted with the secret, so it may be stored
  /// next to the records. Without the file no sealed record can be read again.
  ///
  /// - Parameters:
  ///   - storeID: The store's identity, to which the file is bound.
  ///   - secret: The secret that opens the file.
  ///   - cipher: The cipher that seals records.
  /// - Returns: The keys, and the bytes of the file.
  /// - Throws: ``BackendError``: ``BackendError/Code/invalidArgument`` for an empty passphrase or a key whose length is
  ///   not 16 or 32 bytes; ``BackendError/Code/noMemory``.
  public static func make(
    for storeID: StoreID, secret: StoreSecret, cipher: StoreCipher = .aes128
  ) throws(BackendError) -> (keyRing: KeyRing, file: [UInt8]) {
    var bytes: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    var ring: OpaquePointer?
    let code = unsafe withBytes(of: storeID) { id in
      unsafe secret.withBytes { secret in
        unsafe tds_keys_create(id, secret, cipher.rawValue, 0, &bytes, &byteCount, &ring)
      }
    }
    defer { unsafe tds_bytes_free(bytes) }
    guard let ring = unsafe ring, let bytes = unsafe bytes else { throw BackendError(sealing: code) }
    return unsafe (KeyRing(ring), [UInt8](UnsafeBufferPointer(start: bytes, count: byteCount)))
  }

  /// Opens a file of keys.
  ///
  /// - Throws: ``BackendError``: ``BackendError/Code/wrongKey``, ``BackendError/Code/damagedKeys`` (also for the file
  ///   of another store), ``BackendError/Code/damagedKeySlot``, ``BackendError/Code/newerFormat``,
  ///   ``BackendError/Code/noMemory``.
  public static func open(
    _ file: [UInt8], of storeID: StoreID, secret: StoreSecret
  ) throws(BackendError) -> KeyRing {
    var ring: OpaquePointer?
    let code = unsafe withBytes(of: storeID) { id in
      unsafe secret.withBytes { secret in
        unsafe file.withUnsafeBufferPointer { file -> Int32 in
          guard let base = file.baseAddress else { return Int32(TDS_DAMAGED_KEYS.rawValue) }
          return unsafe tds_keys_open(id, secret, base, file.count, &ring)
        }
      }
    }
    guard let ring = unsafe ring else { throw BackendError(sealing: code) }
    return unsafe KeyRing(ring)
  }

  /// Calls `body` with a pointer to the 16 bytes of an identity, the most significant first.
  private static func withBytes<Result>(of storeID: StoreID, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    let bytes = storeID.bits.bytes
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { memory in
      // An allocation of 16 bytes has an address.
      guard let base = memory.baseAddress else { preconditionFailure("memory of 16 bytes has an address") }
      unsafe base.initialize(from: bytes, count: bytes.count)
      return unsafe body(base)
    }
  }
}

// Codes of names and keys, and sealed names.
extension KeyRing {
  /// The number of bytes of a code; a sealed name is longer than the name by this number.
  static let codeByteCount = Int(TDS_CODE_SIZE)

  /// Returns a code of 16 bytes, which is always the same for the same bytes.
  func code(of bytes: [UInt8]) throws(BackendError) -> [UInt8] {
    let code = unsafe [UInt8](unsafeUninitializedCapacity: Self.codeByteCount) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe withRaw { unsafe tds_name_code($0, bytes.baseAddress, bytes.count, base) }
      }
      if isDone { count = Self.codeByteCount }
    }
    guard !code.isEmpty else { throw Sealer.failure }
    return code
  }

  /// Seals a name; the result is always the same for the same name.
  func sealName(_ name: [UInt8]) throws(BackendError) -> [UInt8] {
    let sealed = unsafe transform(name, byteCount: name.count + Self.codeByteCount) {
      unsafe tds_seal_name($0, $1, $2, $3)
    }
    guard let sealed else { throw Sealer.failure }
    return sealed
  }

  /// Opens a name; nil if the bytes are not a name of this store.
  func openName(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count > Self.codeByteCount else { return nil }
    return unsafe transform(sealed, byteCount: sealed.count - Self.codeByteCount) {
      unsafe tds_open_name($0, $1, $2, $3)
    }
  }

  private func transform(
    _ input: [UInt8], byteCount: Int,
    _ body: (OpaquePointer, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Bool
  ) -> [UInt8]? {
    var isDone = false
    let output = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      isDone = unsafe input.withUnsafeBufferPointer { input in
        guard let bytes = input.baseAddress else { return false }
        return unsafe withRaw { unsafe body($0, bytes, input.count, base) }
      }
      if isDone { count = byteCount }
    }
    return isDone ? output : nil
  }
}

extension BackendError {
  /// Creates the error for a result of a function on the file of keys.
  fileprivate init(sealing code: Int32) {
    switch tds_code(UInt32(code)) {
    case TDS_WRONG_SECRET: self.init(.wrongKey, "The passphrase or key does not open the store.")
    case TDS_DAMAGED_SLOT: self.init(.damagedKeySlot, "A slot of the file of keys is damaged, and no other opens.")
    case TDS_DAMAGED_KEYS: self.init(.damagedKeys, "The file of keys is damaged, or belongs to another store.")
    case TDS_NEWER_FORMAT: self.init(.newerFormat, "A newer version of Todana wrote the file of keys.")
    case TDS_LIMIT: self.init(.limitExceeded, "The file of keys needs too much memory or time to open.")
    case TDS_INVALID: self.init(.invalidArgument, "A passphrase has at least one character, a key 16 or 32 bytes.")
    default: self = Sealer.failure
    }
  }
}
