internal import CStorageEngine

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The place of a store that is to be there whole and durable, or not at all: it is made beside its path, under the same
/// name with `.partial` behind it.
struct NewStoreDirectory {
  let path: String
  let partialPath: String

  /// Throws ``StoreError`` where something is at the path, or somebody is making a store there.
  init(_ path: String) throws {
    self.path = path
    partialPath = path + ".partial"
    let manager = FileManager.default
    guard !manager.fileExists(atPath: path) else {
      throw StoreError(BackendError(.invalidArgument, "There is something at the path of the new store: \(path)"))
    }
    guard manager.fileExists(atPath: partialPath) else { return }
    // What a killed process has left. One that lives has it locked, which is looked at before all else.
    do throws(BackendError) {
      var options = KyotoBackend.Options()
      options.access = .writeExisting
      try KyotoBackend(.directory(partialPath), options: options).close()
    } catch {
      if error.code == .inUse || error.code == .notAStore { throw StoreError(error) }
    }
    try manager.removeItem(atPath: partialPath)
  }

  /// Calls `body` with the path where the store is to be made, and closed; puts it in its place then.
  ///
  /// Nothing is left after an error.
  func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    do {
      let result = try body(partialPath)
      try putInPlace()
      return result
    } catch {
      // What the caller has to know is why; the next attempt removes what cannot be removed now.
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
