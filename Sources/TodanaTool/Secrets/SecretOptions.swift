import ArgumentParser
import Synchronization
import Todana

/// The options for the passphrase or key of the opened store or archive.
///
/// A secret itself is never an argument, as every user of the machine can see the arguments.
struct SecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the passphrase from this file, without its last newline; - is the standard input.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  @Option(
    help: ArgumentHelp("Read the passphrase from the output of this shell command.", valueName: "command"))
  var passphraseCommand: String?

  @Option(
    help: ArgumentHelp("Read the key, 16 or 32 bytes, from this file.", valueName: "file"), completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("Read the recovery key from this file.", valueName: "file"), completion: .file())
  var recoveryKeyFile: String?

  func validate() throws {
    guard sources.count <= 1 else {
      throw ValidationError(
        "Pass only one of --passphrase-file, --passphrase-command, --key-file and --recovery-key-file.")
    }
  }

  /// Whether one of the options is present, regardless of the environment.
  var isPresent: Bool { !sources.isEmpty }

  /// Returns the secret from an option; nil if no option has one.
  func given() throws -> StoreSecret? { try sources.first?.secret() }

  /// Returns the use of the standard input by these options.
  ///
  /// - Parameter readsEnvironment: Whether the environment is read if no option gives a source.
  /// - Returns: The use, such as "the passphrase"; nil if the standard input is not read.
  /// - Throws: ``SecretError`` if more than one variable is set.
  func standardInputUse(readsEnvironment: Bool = true) throws -> String? {
    try (sources.first ?? (readsEnvironment ? SecretEnvironment.current.source() : nil))?.standardInputUse
  }

  /// Returns the secret for an encrypted store or archive, from the environment or the terminal; nil if neither has
  /// one.
  func asked(for name: String) throws -> StoreSecret? {
    if let secret = try SecretEnvironment.current.source()?.secret() { return secret }
    // A command that opens the store twice asks once.
    if let secret = Self.answers.withLock({ $0[name] }) { return secret }
    let secret = try Terminal()?.askPassphrase("Passphrase for \(printable(name)): ")
    Self.answers.withLock { $0[name] = secret }
    return secret
  }

  /// Returns the secret from the options, the environment or the terminal.
  ///
  /// - Parameters:
  ///   - name: The path of the store or file, for the question on the terminal.
  ///   - what: The thing that the secret opens, for the message, such as "the store".
  /// - Returns: The secret.
  /// - Throws: `ValidationError` if there is none; ``SecretError``.
  func required(for name: String, toOpen what: String) throws -> StoreSecret {
    if let secret = try given() ?? asked(for: name) { return secret }
    throw ValidationError("A passphrase or key that opens \(what) is needed. \(Self.advice)")
  }

  private static let answers = Mutex<[String: StoreSecret]>([:])

  /// The sentence of error messages that names the options and variables for a secret.
  static let advice =
    "Pass --passphrase-file, --passphrase-command, --key-file or --recovery-key-file, or set TODANA_PASSPHRASE, "
    + "TODANA_PASSPHRASE_FILE or TODANA_PASSPHRASE_COMMAND."

  private var sources: [SecretSource] {
    [
      passphraseFile.map { .passphraseFile($0) }, passphraseCommand.map { .passphraseCommand($0) },
      keyFile.map { .keyFile($0) }, recoveryKeyFile.map { .recoveryKeyFile($0) },
    ].compactMap(\.self)
  }
}

extension SecretOptions {
  /// Opens a store or archive, and asks for its passphrase only if it is encrypted.
  ///
  /// - Parameters:
  ///   - waiting: The name of the store, and the time to wait while another process has it open.
  ///   - configuration: The configuration, except the encryption.
  ///   - given: The secret from an option, which the caller has read once.
  ///   - open: Opens the store with a configuration.
  /// - Returns: The result of `open`.
  /// - Throws: ``CannotOpen``; other errors of `open`.
  func opening<Result>(
    _ waiting: Waiting, _ configuration: StoreConfiguration, given: StoreSecret?,
    _ open: (StoreConfiguration) throws -> Result
  ) throws -> Result {
    var configuration = configuration
    configuration.programName = "todana"
    func opened(by secret: StoreSecret?) throws -> Result {
      configuration.encryption = secret.map { secret in .callback { secret } } ?? .none
      do {
        return try waiting.whileInUse { try open(configuration) }
      } catch let error as StoreError {
        // Any error here means that the store cannot be opened, even one that is reported differently after the
        // opening, such as a damaged catalog.
        throw CannotOpen(error, path: waiting.name)
      }
    }
    do {
      return try opened(by: given)
    } catch let error as CannotOpen {
      guard error.storeError?.code == .keyRequired, given == nil, let asked = try asked(for: waiting.name) else {
        throw error
      }
      return try opened(by: asked)
    }
  }
}
