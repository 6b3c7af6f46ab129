internal import Logging

/// The place of a store's records.
public enum StoreLocation: Sendable, Hashable {
  /// A directory of the file system.
  ///
  /// A missing directory is created for its owner alone (0700). Files get the permissions of the directory, without
  /// execute permission and less the process's umask. To share a store with a group, create the directory before the
  /// store.
  case directory(String)
  /// Temporary files that are removed when the store is closed or the program ends.
  case temporary
  /// The program's memory.
  case inMemory

  /// Whether opening the location for writing would make a store.
  var isUnused: Bool {
    if case .directory(let path) = self { return !Store.exists(at: path) }
    return true
  }

  /// Opens the backend for the records at this location.
  func openBackend(
    _ configuration: StoreConfiguration, expecting anchor: StoreAnchor?
  ) throws(StoreError) -> any StoreBackend {
    let options = configuration.options(expecting: anchor)
    let secret: StoreSecret?
    do {
      secret = try configuration.encryption.secret()
    } catch let error as StoreError where error.code == .invalidKey {
      throw error
    } catch {
      throw StoreError(.keyRequired, "The callback for the store's passphrase or key failed.", underlying: error)
    }
    do throws(BackendError) {
      let backend = try KyotoBackend(backendLocation, secret: secret, options: options)
      let report = backend.openReport
      // Formatting the texts takes time, so it is done only for a logger.
      if let logger = configuration.logger {
        // A program that closes its store properly never leaves commits to recover.
        let level: Logger.Level = report.recoveredCommitCount > 0 ? .notice : .info
        logger.log(
          level: level, "store \(report)", metadata: ["location": "\(self)", "store": "\(backend.storeID)"])
      }
      return backend
    } catch {
      configuration.logger?.error("store not opened: \(error)", metadata: ["location": "\(self)"])
      throw StoreError(error)
    }
  }

  private var backendLocation: KyotoBackend.Location {
    switch self {
    case .directory(let path): .directory(path)
    case .temporary: .temporary
    case .inMemory: .inMemory
    }
  }
}
