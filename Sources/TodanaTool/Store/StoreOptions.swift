import ArgumentParser
import Foundation
import Todana

/// The store that a command uses, and the options for opening it.
struct StoreOptions: ParsableArguments {
  @Argument(help: "The store's directory.", completion: .directory) var store: String
  @OptionGroup(title: "Passphrase or key") var secret: SecretOptions

  @OptionGroup var waiting: WaitOptions

  /// Opens the store, calls the closure, and closes the store, even after an error.
  ///
  /// - Parameters:
  ///   - access: The access that the closure needs.
  ///   - other: The secret, if it is not the one of the options.
  ///   - body: The work.
  /// - Returns: The result of the closure.
  /// - Throws: ``CannotOpen``; ``Interrupted``; errors of the closure.
  func withStore<Result>(
    _ access: KyotoBackend.Access = .read, secret other: StoreSecret? = nil, _ body: (Store) throws -> Result
  ) throws -> Result {
    let store = try open(access, secret: try other ?? secret.given())
    let result: Result
    do {
      result = try body(store)
    } catch {
      // Keep the first error, which the caller needs. Committed changes are in the log.
      try? store.close(discarding: true)
      throw error
    }
    try store.close()
    return result
  }

  /// Opens the store.
  ///
  /// - Throws: ``CannotOpen``.
  func open(_ access: KyotoBackend.Access, resuming: Bool = false, secret given: StoreSecret?) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.resumingMigration = resuming
    configuration.access = access
    return try secret.opening(waiting.waiting(for: store), configuration, given: given) {
      try Store(.directory(store), classes: [], configuration: $0)
    }
  }

  /// Returns the encryption for calls that open the store themselves.
  ///
  /// The secret comes from the options or, if the store is encrypted, from the environment or the terminal.
  func encryption() throws -> StoreEncryption {
    if let secret = try secret.given() { return .callback { secret } }
    guard isEncrypted, let secret = try secret.asked(for: store) else { return .none }
    return .callback { secret }
  }

  /// Whether the store has a file of keys, and so is encrypted; this is known before the store is opened.
  var isEncrypted: Bool {
    ["keys", "keys-copy"].contains { FileManager.default.fileExists(atPath: "\(store)/\($0)") }
  }
}
