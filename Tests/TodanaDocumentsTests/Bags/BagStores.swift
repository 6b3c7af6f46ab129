import TestSupport
import Todana
import TodanaDocuments

/// An object of a class, as a member of bags.
final class Song: StoredObject {
  var title = ""

  convenience init(_ title: String) {
    self.init()
    self.title = title
  }

  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

/// Stores over one backend, which exists as long as they do.
final class BagStores {
  let backend: any StoreBackend
  private let directory: TemporaryDirectory

  init(_ kind: EveryBackend = .inMemory) throws {
    directory = try TemporaryDirectory()
    backend = try kind.open(in: directory)
  }

  deinit { try? backend.close() }

  /// Opens a store; `Bag.self` is not listed unless the caller lists it.
  func open(_ classes: [StoredObject.Type] = [Song.self]) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.detectsUnannouncedChanges = true
    return try Store(backend: backend, classes: classes, configuration: configuration)
  }
}

extension Bag {
  /// Returns the titles of the members, in order.
  func titles() throws -> [String] {
    try objects().compactMap { ($0 as? Song)?.title ?? ($0 as? Document)?["title"]?.string }.sorted()
  }
}
