import ArgumentParser
import Foundation
import Todana

/// The store that a command works on, and how it is opened.
struct StoreOptions: ParsableArguments {
  @Argument(help: "The store's directory.", completion: .directory) var store: String
  @OptionGroup(title: "Passphrase or key") var secret: SecretOptions

  @OptionGroup var waiting: WaitOptions

  /// Opens the store, calls the closure, and closes the store, whatever comes of it.
  func withStore<Result>(
    _ access: KyotoBackend.Access = .read, resuming: Bool = false, _ body: (Store) throws -> Result
  ) throws -> Result {
    let store = try open(access, resuming: resuming, secret: try secret.given())
    let result: Result
    do {
      result = try body(store)
    } catch {
      // What the caller has to know is the first error; what was committed stands in the log.
      try? store.close(discarding: true)
      throw error
    }
    try store.close()
    return result
  }

  /// - Throws: ``CannotOpen``.
  func open(_ access: KyotoBackend.Access, resuming: Bool = false, secret given: StoreSecret?) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.resumingMigration = resuming
    configuration.backendOptions.access = access
    return try secret.opening(waiting.waiting(for: store), configuration, given: given) {
      try Store(.directory(store), classes: [], configuration: $0)
    }
  }

  /// The secret for calls that open the store by themselves: what the options say, or, where the store is encrypted, the
  /// environment or the terminal.
  func encryption() throws -> StoreEncryption {
    if let secret = try secret.given() { return .callback { secret } }
    guard isEncrypted, let secret = try secret.asked(for: store) else { return .none }
    return .callback { secret }
  }

  /// As far as can be told without opening it: it has a file of keys.
  private var isEncrypted: Bool {
    ["keys", "keys-copy"].contains { FileManager.default.fileExists(atPath: "\(store)/\($0)") }
  }
}
