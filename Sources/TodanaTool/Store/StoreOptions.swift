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
      try? store.close()
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
    return try secret.opening(store, waiting, configuration, given: given) { configuration in
      try Store(.directory(store), classes: [], configuration: configuration)
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

/// How long a command waits for what somebody else is using.
struct WaitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How long to wait for what is in use.", valueName: "seconds")) var wait: Double = 0

  func validate() throws {
    guard wait >= 0, wait <= 1e9 else { throw ValidationError("--wait takes a number of seconds.") }
  }

  /// Calls something that opens a store, or a series of backups, until nobody has it in use.
  ///
  /// - Throws: ``CannotOpen``; what the closure throws for other reasons.
  func whileInUse<Result>(_ body: () throws -> Result) throws -> Result {
    let end = ContinuousClock.now + .seconds(wait)
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.preventsOpening {
        guard error.backendError?.code == .inUse, ContinuousClock.now < end else { throw CannotOpen(error) }
        // Not the library's own waiting, which signals do not end.
        try Interruption.check()
        usleep(50_000)
      }
    }
  }
}
