import Foundation
import Todana

/// The store or archive does not exist or cannot be opened.
struct CannotOpen: Error, CustomStringConvertible {
  let description: String
  /// The store's error, if a store was to be opened.
  let storeError: StoreError?
  /// Whether there is nothing at the path, or something else than expected, so that the order of the operands may be
  /// wrong.
  let isSomethingElse: Bool

  init(_ description: String, isSomethingElse: Bool = false) {
    self.description = description
    self.isSomethingElse = isSomethingElse
    storeError = nil
  }

  /// Creates the error for a store, archive or series.
  ///
  /// - Parameters:
  ///   - error: The library's error.
  ///   - path: The path as it was typed.
  init(_ error: StoreError, path: String) {
    storeError = error
    let lacksSuperblock = error.backendError?.code == .notAStore && Self.lacksSuperblock(path)
    isSomethingElse =
      !lacksSuperblock && (error.backendError?.code == .notFound || error.backendError?.code == .notAStore)
    if error.code == .wrongKey {
      // The library does not name the store, and a command may open two of them.
      description = "The passphrase or key does not open \(printable(path))."
      return
    }
    if error.code == .migrationUnfinished {
      description =
        "The encryption or decryption of \(printable(path)) was interrupted: continue it with 'todana store encrypt "
        + "--resume' or 'todana store decrypt --resume', depending on which one was begun."
      return
    }
    let advice: String
    if error.backendError?.code == .noSpace {
      advice = ". The disk is full: free a few MB, which opening needs to recover the log, and try again."
    } else if lacksSuperblock {
      advice =
        ". It has files like those of a store, but no superblock. If it was a store, restore a backup, or copy all "
        + "readable records to a new store: todana store salvage \(printable(path)) NEW"
    } else if error.code == .keyRequired {
      advice = ". \(SecretOptions.advice)"
    } else {
      advice = ""
    }
    description = "\(error)\(advice)"
  }

  /// Tests whether a directory has no superblock, but a file with a name like those of a store's data files:
  /// `0003-Song.kch`, `0003.kct`.
  private static func lacksSuperblock(_ path: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return !names.contains("superblock") && names.contains { $0.wholeMatch(of: #/\d{4,}(-.*)?\.kc[ht]/#) != nil }
  }

  /// Creates the error for a store that another process has open.
  init(inUse error: StoreError) {
    // Remove the library's advice, which is for programmers.
    let holder = "\(error)".replacing(": close it there, or wait for it", with: "")
    description = "\(holder). Close it there, or pass --wait SECONDS to wait until it is closed."
    storeError = error
    isSomethingElse = false
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
