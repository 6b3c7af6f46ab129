import Todana

/// What the command was to work on is not there, or is not to be had.
struct CannotOpen: Error, CustomStringConvertible {
  let description: String
  /// Why, if a store was to be opened.
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

  /// Another process has it open.
  init(inUse error: StoreError) {
    // The library's advice is for programs.
    let holder = "\(error)".replacing(": close it there, or wait for it", with: "")
    description = "\(holder): a command that writes needs it alone; --wait SECONDS waits for the other one."
    storeError = error
  }
}

extension StoreError {
  /// Whether it is about a store, or a series of backups, that is not there, or not to be had.
  var preventsOpening: Bool {
    switch backendError?.code {
    case .notFound, .notAStore, .inUse, .newerFormat, .olderFormat, .noPermission, .otherStore: true
    case .wrongKey, .keyRequired, .notEncrypted, .damagedKeys, .damagedKeySlot, .unknownKeyEpoch, .migrationUnfinished:
      true
    default: code == .invalidKey || code == .keyRequired
    }
  }
}
