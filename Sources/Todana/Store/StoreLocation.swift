/// Where a store keeps its records.
public enum StoreLocation: Sendable, Hashable {
  /// A directory of the file system, which is made where there is none.
  case directory(String)
  /// Files that are gone when the store is closed or the program ends.
  case temporary
  /// The program's memory.
  case inMemory

  /// Opens the backend that keeps records there.
  func openBackend(_ configuration: StoreConfiguration) throws(StoreError) -> any StoreBackend {
    guard case .none = configuration.encryption else {
      throw StoreError(.notAvailable, "Encryption is not available yet; open the store with encryption: .none.")
    }
    throw StoreError(.notAvailable, "Opening a store by location is not available yet; use Store(backend:classes:).")
  }
}
