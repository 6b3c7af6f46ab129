import CSealingProbe

/// The primitives of the sealing layer, called with arrays.
enum Primitives {
  static func gcmSeal(
    key: [UInt8], nonce: [UInt8], associated: [UInt8], plaintext: [UInt8]
  ) -> (ciphertext: [UInt8], tag: [UInt8])? {
    var output = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = unsafe lend(key, nonce, associated, plaintext) { parts in
      unsafe probe_gcm_seal(parts[0], parts[1], parts[2], parts[3], &output, &tag)
    }
    return isDone ? (output, tag) : nil
  }

  /// Seals by libcrypto's own AES-GCM.
  static func gcmSealByLibrary(
    key: [UInt8], nonce: [UInt8], associated: [UInt8], plaintext: [UInt8]
  ) -> (ciphertext: [UInt8], tag: [UInt8])? {
    var output = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = unsafe lend(key, nonce, associated, plaintext) { parts in
      unsafe probe_gcm_seal_by_library(parts[0], parts[1], parts[2], parts[3], &output, &tag)
    }
    return isDone ? (output, tag) : nil
  }

  static func gcmOpen(
    key: [UInt8], nonce: [UInt8], associated: [UInt8], ciphertext: [UInt8], tag: [UInt8]
  ) -> (isAuthentic: Bool, output: [UInt8]) {
    var output = [UInt8](repeating: 0xAA, count: ciphertext.count)
    let isDone = unsafe lend(key, nonce, associated, ciphertext, tag) { parts in
      unsafe probe_gcm_open(parts[0], parts[1], parts[2], parts[3], parts[4].bytes, &output)
    }
    return (isDone, output)
  }

  static func sivSeal(key: [UInt8], associated: [[UInt8]], plaintext: [UInt8]) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: plaintext.count + 16)
    let isDone = unsafe lend([key, plaintext] + associated) { parts in
      unsafe probe_siv_seal(parts[0], Array(parts[2...]), parts.count - 2, parts[1], &output)
    }
    return isDone ? output : nil
  }

  static func sivOpen(key: [UInt8], associated: [[UInt8]], sealed: [UInt8]) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: max(sealed.count - 16, 0))
    let isDone = unsafe lend([key, sealed] + associated) { parts in
      unsafe probe_siv_open(parts[0], Array(parts[2...]), parts.count - 2, parts[1], &output)
    }
    return isDone ? output : nil
  }

  static func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    var hash = [UInt8](repeating: 0, count: 32)
    return unsafe lend(bytes) { unsafe probe_sha256($0[0], &hash) } ? hash : nil
  }

  static func hmac(key: [UInt8], message: [UInt8]) -> [UInt8]? {
    var hash = [UInt8](repeating: 0, count: 32)
    return unsafe lend(key, message) { unsafe probe_hmac($0[0], $0[1], &hash) } ? hash : nil
  }

  static func hkdf(secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: count)
    let isDone = unsafe lend(secret, salt, info) { unsafe probe_hkdf($0[0], $0[1], $0[2], &output, count) }
    return isDone ? output : nil
  }

  static func scrypt(
    passphrase: [UInt8], salt: [UInt8], log2N: UInt8, r: UInt32, p: UInt32, count: Int
  ) -> (code: tds_code, key: [UInt8]) {
    var output = [UInt8](repeating: 0, count: count)
    let code = unsafe lend(passphrase, salt) { unsafe probe_scrypt($0[0], $0[1], log2N, r, p, &output, count) }
    return (tds_code(UInt32(code)), output)
  }

  static func blockMAC(key: [UInt8], message: [UInt8]) -> [UInt8]? {
    var mac = [UInt8](repeating: 0, count: 16)
    return unsafe lend(key, message) { unsafe probe_block_mac($0[0], $0[1], &mac) } ? mac : nil
  }

  private static func lend<Result>(_ parts: [UInt8]..., body: ([probe_bytes]) -> Result) -> Result {
    unsafe lend(parts, body: body)
  }

  /// Passes all parts as C takes them; the pointers are valid only during the call.
  private static func lend<Result>(_ parts: [[UInt8]], body: ([probe_bytes]) -> Result) -> Result {
    let joined = parts.flatMap(\.self) + [0]
    return unsafe joined.withUnsafeBufferPointer { buffer in
      var lent: [probe_bytes] = unsafe []
      var offset = 0
      for part in parts {
        // In bounds: the parts are contiguous, and one more byte follows the last.
        unsafe lent.append(probe_bytes(bytes: buffer.baseAddress.map { unsafe $0 + offset }, count: part.count))
        offset += part.count
      }
      return unsafe body(lent)
    }
  }
}

extension [UInt8] {
  /// Creates bytes from hexadecimal digits; spaces are ignored.
  init(hex: String) {
    let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  var hex: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
