import TestSupport
import Todana

/// The backends that a store must behave the same over.
enum EveryBackend: CaseIterable {
  case faulty, inMemory, temporary, directory

  /// Opens one; the directory must stay as long as the backend is used.
  func open(in directory: TemporaryDirectory) throws -> any StoreBackend {
    switch self {
    case .faulty: FaultyBackend()
    case .inMemory: try KyotoBackend(.inMemory)
    case .temporary: try KyotoBackend(.temporary)
    case .directory: try KyotoBackend(.directory(directory.path("Store.todana")))
    }
  }
}
