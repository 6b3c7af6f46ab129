public import Todana

/// The backends over which a store must behave identically.
public enum EveryBackend: CaseIterable, Sendable {
  case faulty, inMemory, temporary, directory, encrypted, encryptedFaulty

  /// Whether records are encrypted.
  public var isEncrypted: Bool { self == .encrypted || self == .encryptedFaulty }

  private static let secret = StoreSecret.key([UInt8](repeating: 0xA5, count: 32))

  /// Returns keys for a backend that has none of its own.
  public static func keyRing() throws -> KeyRing {
    let backend = try KyotoBackend(.inMemory, secret: secret)
    defer { try? backend.close() }
    guard let ring = backend.keyRing else { throw StoreError(.notEncrypted, "an encrypted backend has keys") }
    return ring
  }

  /// Opens a backend; the directory must exist as long as the backend is used.
  public func open(in directory: TemporaryDirectory) throws -> any StoreBackend {
    switch self {
    case .faulty: FaultyBackend(keyRing: nil)
    case .inMemory: try KyotoBackend(.inMemory)
    case .temporary: try KyotoBackend(.temporary)
    case .directory: try KyotoBackend(.directory(directory.path("Store.todana")))
    case .encrypted: try KyotoBackend(.directory(directory.path("Store.todana")), secret: Self.secret)
    case .encryptedFaulty: try FaultyBackend(keyRing: Self.keyRing())
    }
  }
}
