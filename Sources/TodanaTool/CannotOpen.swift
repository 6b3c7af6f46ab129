import Todana

/// The store or archive does not exist or cannot be opened.
struct CannotOpen: Error, CustomStringConvertible {
  let description: String
  /// The store's error, if a store was to be opened.
  let storeError: StoreError?

  init(_ description: String) {
    self.description = description
    storeError = nil
  }

  init(_ error: StoreError) {
    let advice: String
    if error.backendError?.code == .noSpace {
      advice = ". The disk is full: free a few MB, which opening needs to recover the log, and try again."
    } else if error.code == .keyRequired {
      advice = ". \(SecretOptions.advice)"
    } else {
      advice = ""
    }
    description = "\(error)\(advice)"
    storeError = error
  }

  /// Creates the error for a store that another process has open.
  init(inUse error: StoreError) {
    // Remove the library's advice, which is for programmers.
    let holder = "\(error)".replacing(": close it there, or wait for it", with: "")
    description = "\(holder). Close it there, or pass --wait SECONDS to wait until it is closed."
    storeError = error
  }
}

extension StoreError {
  /// Whether the error means that a store, or a series of backups, does not exist or cannot be opened.
  var preventsOpening: Bool {
    switch backendError?.code {
    case .notFound, .notAStore, .inUse, .newerFormat, .olderFormat, .noPermission, .otherStore: true
    case .wrongKey, .keyRequired, .notEncrypted, .damagedKeys, .damagedKeySlot, .unknownKeyEpoch, .migrationUnfinished:
      true
    default: code == .invalidKey || code == .keyRequired
    }
  }
}
