import SmallBackend
import TestSupport
import Testing
import Todana

/// The backends that this suite tests against one contract.
enum TestedBackend: String, CaseIterable, CustomTestStringConvertible {
  case dictionary
  case memory
  case temporary
  case directory
  /// A directory whose catalog, names and trees are encrypted.
  ///
  /// Values are not encrypted here, because stores seal them.
  case encrypted

  /// Whether the backend can be closed and opened again.
  var lasts: Bool { self == .directory || self == .encrypted }
  /// The backends whose scans deliver byte keys themselves.
  ///
  /// Scans of an encrypted backend deliver a substitute for each key; stores find the key in the record.
  static let thatTellKeys = allCases.filter { $0 != .encrypted }
  var testDescription: String { rawValue }
}

/// An open backend of one kind, with three keyspaces that most tests need.
final class OpenBackend {
  let kind: TestedBackend
  let directory: TemporaryDirectory
  private(set) var backend: any StoreBackend
  let songs: KeyspaceID
  let names: KeyspaceID
  let index: KeyspaceID
  private var isOwner = true

  init(_ kind: TestedBackend) throws {
    self.kind = kind
    directory = try TemporaryDirectory()
    backend = try Self.open(kind, in: directory)
    songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    names = try backend.keyspaceID(of: .keys, named: Array("names".utf8))
    index = try backend.keyspaceID(of: .tree, named: Array("Song.seconds".utf8))
  }

  deinit {
    if isOwner { try? backend.close() }
  }

  /// The path of the store, for a kind that lasts.
  var path: String { directory.path("store") }

  /// Closes the backend and opens it again; only for a kind that lasts.
  func reopenAfterClosing() throws {
    try backend.close()
    backend = try Self.open(kind, in: directory)
  }

  /// Returns the backend and gives up its ownership, so that releasing this object does not close it.
  func detachBackend() -> any StoreBackend {
    isOwner = false
    return backend
  }

  private static func open(_ kind: TestedBackend, in directory: TemporaryDirectory) throws -> any StoreBackend {
    switch kind {
    case .dictionary: DictionaryBackend()
    case .memory: try KyotoBackend(.inMemory)
    case .temporary: try KyotoBackend(.temporary)
    case .directory: try KyotoBackend(.directory(directory.path("store")))
    case .encrypted:
      try KyotoBackend(.directory(directory.path("store")), secret: .key([UInt8](repeating: 0xA5, count: 16)))
    }
  }
}

/// Checks that `body` throws a ``BackendError`` of this code with a message, and returns it.
@discardableResult
func expectError(
  _ code: BackendError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> BackendError? {
  let error = #expect(throws: BackendError.self, sourceLocation: sourceLocation, performing: body)
  #expect(error?.code == code, "\(error?.description ?? "nothing was thrown")", sourceLocation: sourceLocation)
  #expect(error?.message.isEmpty == false, sourceLocation: sourceLocation)
  return error
}
