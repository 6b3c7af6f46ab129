import ArgumentParser
import Synchronization
import Todana

/// The passphrase or key of what the command works on.
///
/// Never an argument itself: those can be seen by every user of the machine.
struct SecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the passphrase; - for the standard input. One line end behind it is left out.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  @Option(
    help: ArgumentHelp("A command, run by the shell, that prints the passphrase.", valueName: "command"))
  var passphraseCommand: String?

  @Option(help: ArgumentHelp("A file of 16 or 32 bytes that are the key.", valueName: "file"), completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("A file with the recovery key.", valueName: "file"), completion: .file())
  var recoveryKeyFile: String?

  func validate() throws {
    guard sources.count <= 1 else {
      throw ValidationError(
        "--passphrase-file, --passphrase-command, --key-file and --recovery-key-file exclude each other.")
    }
  }

  /// What an option says; nil where none does.
  func given() throws -> StoreSecret? { try sources.first?.secret() }

  /// Finds out whether the standard input is read for this.
  ///
  /// - Parameter readsEnvironment: Whether the environment counts where no option says.
  /// - Returns: The use of the standard input, such as "the passphrase"; nil if it is not read.
  /// - Throws: ``SecretError`` if more than one variable is set.
  func standardInputUse(readsEnvironment: Bool = true) throws -> String? {
    try (sources.first ?? (readsEnvironment ? SecretEnvironment.current.source() : nil))?.standardInputUse
  }

  /// For something that turned out to be encrypted: what the environment or the terminal says; nil where neither does.
  func asked(for name: String) throws -> StoreSecret? {
    if let secret = try SecretEnvironment.current.source()?.secret() { return secret }
    // A command that opens it twice asks once.
    if let secret = Self.answers.withLock({ $0[name] }) { return secret }
    let secret = try Terminal()?.askPassphrase("Passphrase of \(printable(name)): ")
    Self.answers.withLock { $0[name] = secret }
    return secret
  }

  /// Returns a secret that a command cannot do without: from the options, the environment or the terminal.
  ///
  /// - Parameters:
  ///   - name: The path of the store or file, for the question on the terminal.
  ///   - what: The thing that the secret opens, for the message, such as "the store".
  /// - Returns: The secret.
  /// - Throws: `ValidationError` if there is none; ``SecretError``.
  func required(for name: String, toOpen what: String) throws -> StoreSecret {
    if let secret = try given() ?? asked(for: name) { return secret }
    throw ValidationError("A passphrase or key that opens \(what) is needed.")
  }

  private static let answers = Mutex<[String: StoreSecret]>([:])

  /// For something that is to be encrypted: what the options, the environment or the terminal say.
  func new(for name: String) throws -> StoreSecret {
    if let secret = try given() ?? SecretEnvironment.current.source()?.secret() { return secret }
    guard let terminal = Terminal() else {
      throw ValidationError("A passphrase, a key or a recovery key is needed, and there is no terminal to ask.")
    }
    return try terminal.askNewPassphrase("New passphrase for \(printable(name)): ")
  }

  private var sources: [SecretSource] {
    [
      passphraseFile.map { .passphraseFile($0) }, passphraseCommand.map { .passphraseCommand($0) },
      keyFile.map { .keyFile($0) }, recoveryKeyFile.map { .recoveryKeyFile($0) },
    ].compactMap(\.self)
  }
}

extension SecretOptions {
  /// Opens something, asking for its passphrase only where it turns out to be encrypted.
  ///
  /// - Parameters:
  ///   - waiting: What is opened, and how long to wait while another process has it open.
  ///   - configuration: What it is opened with, but for the encryption.
  ///   - given: What an option says, read once.
  ///   - open: Opens it.
  /// - Returns: What `open` returns.
  /// - Throws: ``CannotOpen``; what `open` throws otherwise.
  func opening<Result>(
    _ waiting: Waiting, _ configuration: StoreConfiguration, given: StoreSecret?,
    _ open: (StoreConfiguration) throws -> Result
  ) throws -> Result {
    var configuration = configuration
    configuration.backendOptions.programName = "todana"
    func opened(by secret: StoreSecret?) throws -> Result {
      configuration.encryption = secret.map { secret in .callback { secret } } ?? .none
      do {
        return try waiting.whileInUse { try open(configuration) }
      } catch let error as StoreError {
        // Such as a damaged catalog, which for other commands is no matter of opening.
        throw CannotOpen(error)
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
