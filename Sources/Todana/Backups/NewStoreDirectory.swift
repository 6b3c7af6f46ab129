internal import CStorageEngine

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The place of a new store, which appears there complete and durable, or not at all.
///
/// The store is created in a directory of the same name with `.partial` appended, which is renamed at the end.
struct NewStoreDirectory {
  let path: String
  let partialPath: String

  /// Prepares the creation of a store at a path, and removes the remains of an interrupted one.
  ///
  /// Throws ``StoreError`` if the path exists, or if another process is creating a store there.
  init(_ path: String) throws {
    self.path = path
    partialPath = path + ".partial"
    let manager = FileManager.default
    guard !manager.fileExists(atPath: path) else {
      throw StoreError(BackendError(.invalidArgument, "Something already exists at the path of the new store: \(path)"))
    }
    guard manager.fileExists(atPath: partialPath) else { return }
    // Opening the directory throws `inUse` if a live process is creating a store in it. Otherwise a killed process has
    // left it.
    do throws(BackendError) {
      var options = KyotoBackend.Options()
      options.access = .writeExisting
      try KyotoBackend(.directory(partialPath), options: options).close()
    } catch {
      if error.code == .inUse || error.code == .notAStore { throw StoreError(error) }
    }
    try manager.removeItem(atPath: partialPath)
  }

  /// Calls a closure that creates and closes the store at the given path, then moves the store to its place.
  ///
  /// After an error nothing is left.
  func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    do {
      let result = try body(partialPath)
      try putInPlace()
      return result
    } catch {
      // The first error is the one to report. The next attempt removes any remains that cannot be removed now.
      try? FileManager.default.removeItem(atPath: partialPath)
      throw error
    }
  }

  private func putInPlace() throws(StoreError) {
    var error = tdn_error()
    let isDone = unsafe partialPath.withCString { from in
      unsafe path.withCString { to in unsafe tdn_put_in_place(from, to, &error) }
    }
    guard isDone else { throw StoreError(unsafe BackendError(&error)) }
  }
}
