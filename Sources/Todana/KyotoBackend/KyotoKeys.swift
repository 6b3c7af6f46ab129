internal import CSealing
internal import CStorageEngine

/// The passphrases and keys of an encrypted ``KyotoBackend``.
final class KyotoKeys: KeyManagement {
  let backend: KyotoBackend
  private var cabinet: CabinetHandle { backend.cabinet }

  init(_ backend: KyotoBackend) { self.backend = backend }

  func slots() throws(BackendError) -> [KeySlot] {
    var slots: [KeySlot] = []
    try unsafe cabinet.call { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &slots) { slots in
        unsafe tdn_key_slots(
          cabinet, slots,
          { context, slot in
            // `context` points to the array above, and is valid during the call.
            guard let slots = unsafe context?.assumingMemoryBound(to: [KeySlot].self) else { return }
            unsafe slots.pointee.append(KeySlot(slot.pointee))
          }, error)
      }
    }
    return slots
  }

  func add(_ secret: StoreSecret) throws(BackendError) -> KeySlot.ID {
    var slot: UInt32 = 0
    try unsafe cabinet.call { cabinet, error in
      unsafe secret.withBytes { unsafe tdn_add_secret(cabinet, $0, &slot, error) }
    }
    return slot
  }

  func change(to secret: StoreSecret) throws(BackendError) -> KeySlot.ID {
    var slot: UInt32 = 0
    try unsafe cabinet.call { cabinet, error in
      unsafe secret.withBytes { unsafe tdn_change_secret(cabinet, $0, &slot, error) }
    }
    return slot
  }

  func remove(_ slot: KeySlot.ID) throws(BackendError) {
    try unsafe cabinet.call { unsafe tdn_remove_secret($0, slot, $1) }
  }

  func export() throws(BackendError) -> [UInt8] {
    var bytes: [UInt8] = []
    try unsafe cabinet.call { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &bytes) { bytes in
        unsafe tdn_export_keys(
          cabinet, bytes,
          { context, exported, count in
            guard let bytes = unsafe context?.assumingMemoryBound(to: [UInt8].self) else { return }
            unsafe bytes.pointee = unsafe Array(UnsafeBufferPointer(start: exported, count: count))
          }, error)
      }
    }
    return bytes
  }
}

extension KyotoBackend {
  /// Replaces a closed store's file of keys by an exported one (`tdn_import_keys`).
  static func importKeys(_ keys: [UInt8], at path: String, secret: StoreSecret) throws(BackendError) {
    try SeriesTask.check(path)
    var error = tdn_error()
    let isDone = unsafe path.withCString { path in
      unsafe secret.withBytes { unsafe tdn_import_keys(path, keys, keys.count, $0, &error) }
    }
    guard isDone else { throw unsafe BackendError(&error) }
  }
}

extension KeySlot {
  init(_ slot: tdn_key_slot) {
    id = slot.id
    kind =
      switch tds_secret_kind(UInt32(bitPattern: slot.kind)) {
      case TDS_SECRET_KEY: .key
      case TDS_SECRET_RECOVERY_KEY: .recoveryKey
      default: .passphrase
      }
    createdMilliseconds = Int(clamping: slot.created_milliseconds)
    isDamaged = slot.damaged
    isInUse = slot.in_use
  }
}
