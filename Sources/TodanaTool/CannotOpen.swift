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
    let isFull = error.backendError?.code == .noSpace
    description =
      isFull
      ? "The disk is full: \(error). To write, a few MB must be free for the log that another process has left; "
        + "free some, and try again." : "\(error)"
    storeError = error
  }

  /// Creates the error for a store that another process has open.
  init(inUse error: StoreError) {
    // Remove the library's advice, which is for programmers.
    let holder = "\(error)".replacing(": close it there, or wait for it", with: "")
    description = "\(holder): a command that writes needs it alone; --wait SECONDS waits for the other one."
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
