internal import CSealing
import Foundation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#endif

extension StoreSecret {
  /// Calls `body` with the secret for C, in memory that is wiped afterwards.
  func withBytes<Result>(_ body: (UnsafePointer<tds_secret>) -> Result) -> Result {
    let bytes: [UInt8]
    let kind: tds_secret_kind
    switch self {
    case .passphrase(let passphrase):
      // Texts that look the same are the same passphrase.
      bytes = Array(passphrase.precomposedStringWithCanonicalMapping.utf8)
      kind = TDS_SECRET_PASSPHRASE
    case .key(let key):
      bytes = key
      kind = TDS_SECRET_KEY
    case .recoveryKey(let key):
      bytes = key.bytes
      kind = TDS_SECRET_RECOVERY_KEY
    }
    let count = bytes.count
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
    defer {
      unsafe tds_wipe(memory, count)
      unsafe memory.deallocate()
    }
    unsafe memory.initialize(from: bytes, count: count)
    var secret = unsafe tds_secret(kind: Int32(kind.rawValue), bytes: memory, byte_count: count)
    return unsafe body(&secret)
  }
}
