internal import CStorageEngine

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Store {
  /// The place of the records; nil if the backend is not a ``KyotoBackend``.
  public var location: StoreLocation? { (backend as? KyotoBackend).map { StoreLocation($0.location) } }

  /// Tests whether there is a store in a directory, open or not.
  ///
  /// A store may still be encrypted, damaged, or of a newer format, so that it cannot be opened. False if the directory
  /// cannot be read.
  ///
  /// - Parameter path: The path of the directory.
  /// - Returns: Whether the directory is marked as a store.
  /// - Complexity: O(1); nothing is opened.
  public static func exists(at path: String) -> Bool {
    // The path would end at a NUL character.
    !path.utf8.contains(0) && FileManager.default.fileExists(atPath: path + "/superblock")
  }

  /// Deletes the store in a directory: all of its files, and the directory if nothing else is in it.
  ///
  /// Neither passphrase nor key is needed. The keys of an encrypted store are deleted first. If the call is interrupted,
  /// call it again. Backups are elsewhere, and stay.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - waitDuration: The time to wait until another opener closes the store; zero does not wait.
  /// - Throws: ``StoreError``, with an underlying ``BackendError``: ``BackendError/Code/notFound`` if there is no store,
  ///   ``BackendError/Code/inUse`` if it is open, in this process or another one, ``BackendError/Code/noPermission``.
  public static func destroy(at path: String, waitDuration: Duration = .zero) throws(StoreError) {
    if path.utf8.contains(0) {
      throw StoreError(BackendError(.invalidArgument, "The path of the store contains a NUL character."))
    }
    var error = tdn_error()
    let isDone = unsafe path.withCString { path in
      unsafe tdn_destroy(path, waitDuration.wholeMilliseconds, &error)
    }
    guard isDone else { throw StoreError(unsafe BackendError(&error)) }
  }
}

extension StoreLocation {
  init(_ location: KyotoBackend.Location) {
    self =
      switch location {
      case .directory(let path): .directory(path)
      case .temporary: .temporary
      case .inMemory: .inMemory
      }
  }
}
