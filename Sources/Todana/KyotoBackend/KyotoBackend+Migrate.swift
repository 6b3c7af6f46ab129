internal import CSealing
internal import CStorageEngine

extension KyotoBackend {
  public func unfinishedMigration() throws(BackendError) -> StoreMigration? {
    var migration: Int32 = 0
    try unsafe cabinet.call { unsafe tdn_get_migration($0, &migration, $1) }
    return switch tdn_migration(UInt32(bitPattern: migration)) {
    case TDN_MIGRATION_ENCRYPTING: .encrypting
    case TDN_MIGRATION_DECRYPTING: .decrypting
    case TDN_MIGRATION_ROTATING: .rotatingKeys
    default: nil
    }
  }

  /// Creates keys for the store (`tdn_encrypt`).
  public func beginEncryption(_ secret: StoreSecret) throws(BackendError) {
    try unsafe cabinet.call { cabinet, error in unsafe secret.withBytes { unsafe tdn_encrypt(cabinet, $0, error) } }
    try learnKeys()
  }

  public func beginDecryption() throws(BackendError) {
    try unsafe cabinet.call { unsafe tdn_decrypt($0, $1) }
  }

  /// Rewrites the files of the keyspaces, one after another (`tdn_migrate`).
  ///
  /// Closing the backend during the call pauses the migration.
  public func migrate(progress: (MigrationProgress) -> Bool) throws(BackendError) -> Bool {
    // The keys come first, since records are sealed from then on and readers have to open them.
    try learnKeys()
    return try unsafe callWithProgress({ progress(MigrationProgress(doneByteCount: $0, byteCount: $1)) }) {
      unsafe tdn_migrate($0, reportProgress, $1, $2, $3)
    }
  }
}

extension KyotoKeys {
  func rotate(
    keeping secrets: [StoreSecret], progress: (MigrationProgress) -> Bool
  ) throws(BackendError) -> KeyRotation {
    guard !secrets.isEmpty else {
      throw BackendError(.invalidArgument, "No passphrase or key would open the store: pass at least one.")
    }
    var rotation = KeyRotation()
    try unsafe backend.cabinet.call { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &rotation) { rotation in
        unsafe withSecrets(secrets[...], []) { secrets in
          // The array has at least one secret.
          guard let first = secrets.baseAddress else { return false }
          return unsafe tdn_rotate_keys(
            cabinet, first, secrets.count, rotation,
            { context, slot, isKept in
              // `context` points to the rotation above, and is valid during the call.
              guard let rotation = unsafe context?.assumingMemoryBound(to: KeyRotation.self) else { return }
              let slot = unsafe KeySlot(slot.pointee)
              if isKept {
                unsafe rotation.pointee.keptSlots.append(slot)
              } else {
                unsafe rotation.pointee.removedSlots.append(slot)
              }
            }, error)
        }
      }
    }
    rotation.isFinished = try backend.migrate(progress: progress)
    return rotation
  }
}

/// Calls `body` with several secrets for C.
private func withSecrets<Result>(
  _ secrets: ArraySlice<StoreSecret>, _ lent: [tds_secret], _ body: (UnsafeBufferPointer<tds_secret>) -> Result
) -> Result {
  guard let first = secrets.first else { return unsafe lent.withUnsafeBufferPointer { unsafe body($0) } }
  return unsafe first.withBytes { secret in
    unsafe withSecrets(secrets.dropFirst(), lent + [secret.pointee], body)
  }
}
