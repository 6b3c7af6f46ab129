import ArgumentParser
import Todana

/// The options for a new passphrase or key.
struct NewSecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the new passphrase from this file; - is the standard input.", valueName: "file"),
    completion: .file())
  var newPassphraseFile: String?

  @Option(
    help: ArgumentHelp("Read the new passphrase from the output of this shell command.", valueName: "command"))
  var newPassphraseCommand: String?

  @Option(
    help: ArgumentHelp("Read the new key, 16 or 32 bytes, from this file.", valueName: "file"), completion: .file())
  var newKeyFile: String?

  @Option(
    help: ArgumentHelp("Use an existing recovery key, read from this file.", valueName: "file"), completion: .file())
  var newRecoveryKeyFile: String?

  func validate() throws {
    guard sources.count <= 1 else {
      throw ValidationError(
        "Pass only one of --new-passphrase-file, --new-passphrase-command, --new-key-file and --new-recovery-key-file."
      )
    }
  }

  /// Whether one of the options is present, regardless of the environment.
  var isPresent: Bool { !sources.isEmpty }

  /// Returns the secret from the options or the environment; nil if neither has one.
  func given() throws -> StoreSecret? {
    try (sources.first ?? SecretEnvironment.new.source())?.secret()
  }

  /// The use of the standard input, such as "the new passphrase"; nil if it is not read for this.
  func standardInputUse() throws -> String? {
    let use = try (sources.first ?? SecretEnvironment.new.source())?.standardInputUse
    return use?.replacing("the ", with: "the new ")
  }

  /// Returns the secret from the options or the environment, or asks for a new passphrase on the terminal.
  func secret(for name: String) throws -> StoreSecret {
    if let secret = try given() { return secret }
    guard let terminal = Terminal() else {
      throw ValidationError(
        "A new passphrase or key is needed, and there is no terminal to ask for it. Pass --new-passphrase-file, "
          + "--new-passphrase-command, --new-key-file or --new-recovery-key-file, or set TODANA_NEW_PASSPHRASE.")
    }
    return try terminal.askNewPassphrase("New passphrase for \(printable(name)): ")
  }

  /// Returns the secret from these options or from those of the former spelling; nil if neither has one.
  ///
  /// Commands that make an encrypted store or archive used to accept only `--passphrase-file` and the options beside
  /// it.
  func given(or former: SecretOptions) throws -> StoreSecret? {
    guard let source = sources.first else { return try former.given() }
    guard !former.isPresent else {
      throw ValidationError(
        "Pass the new passphrase or key once, with --new-passphrase-file, --new-passphrase-command, --new-key-file or "
          + "--new-recovery-key-file.")
    }
    return try source.secret()
  }

  /// Returns the secret for a new store from these options, those of the former spelling, the environment or the
  /// terminal.
  func secret(for name: String, or former: SecretOptions) throws -> StoreSecret {
    if let secret = try given(or: former) ?? SecretEnvironment.new.source()?.secret() { return secret }
    if let secret = try SecretEnvironment.current.source()?.secret() { return secret }
    return try secret(for: name)
  }

  /// Returns the use of the standard input for the secret of a new store.
  ///
  /// - Parameters:
  ///   - former: The options of the former spelling.
  ///   - readsEnvironment: Whether the environment is read if no option gives a source.
  /// - Returns: The use, such as "the new passphrase"; nil if the standard input is not read.
  /// - Throws: ``SecretError`` if more than one variable is set.
  func standardInputUse(or former: SecretOptions, readsEnvironment: Bool = true) throws -> String? {
    if let source = sources.first { return source.standardInputUse?.replacing("the ", with: "the new ") }
    if !former.isPresent, readsEnvironment, let source = try SecretEnvironment.new.source() {
      return source.standardInputUse?.replacing("the ", with: "the new ")
    }
    return try former.standardInputUse(readsEnvironment: readsEnvironment)
  }

  private var sources: [SecretSource] {
    [
      newPassphraseFile.map { .passphraseFile($0) }, newPassphraseCommand.map { .passphraseCommand($0) },
      newKeyFile.map { .keyFile($0) }, newRecoveryKeyFile.map { .recoveryKeyFile($0) },
    ].compactMap(\.self)
  }
}
