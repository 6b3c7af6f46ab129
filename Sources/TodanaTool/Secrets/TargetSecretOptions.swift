import ArgumentParser
import Todana

/// The options for the passphrase or key of the archive to which snapshots are copied.
///
/// The names that begin with `--new-` are the former ones.
struct TargetSecretOptions: ParsableArguments {
  @Option(
    name: [.customLong("target-passphrase-file"), .customLong("new-passphrase-file")],
    help: ArgumentHelp("Read the target's passphrase from this file; - is the standard input.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  @Option(
    name: [.customLong("target-passphrase-command"), .customLong("new-passphrase-command")],
    help: ArgumentHelp("Read the target's passphrase from the output of this shell command.", valueName: "command"))
  var passphraseCommand: String?

  @Option(
    name: [.customLong("target-key-file"), .customLong("new-key-file")],
    help: ArgumentHelp("Read the target's key, 16 or 32 bytes, from this file.", valueName: "file"),
    completion: .file())
  var keyFile: String?

  @Option(
    name: [.customLong("target-recovery-key-file"), .customLong("new-recovery-key-file")],
    help: ArgumentHelp("Read the target's recovery key from this file.", valueName: "file"), completion: .file())
  var recoveryKeyFile: String?

  func validate() throws {
    guard sources.count <= 1 else {
      throw ValidationError(
        "Pass only one of --target-passphrase-file, --target-passphrase-command, --target-key-file and "
          + "--target-recovery-key-file.")
    }
  }

  /// Returns the secret from the options or the environment; nil if neither has one.
  func given() throws -> StoreSecret? { try source()?.secret() }

  /// The use of the standard input, such as "the target's passphrase"; nil if it is not read for this.
  func standardInputUse() throws -> String? {
    try source()?.standardInputUse?.replacing("the ", with: "the target's ")
  }

  private func source() throws -> SecretSource? {
    try sources.first ?? SecretEnvironment.target.source() ?? SecretEnvironment.new.source()
  }

  private var sources: [SecretSource] {
    [
      passphraseFile.map { .passphraseFile($0) }, passphraseCommand.map { .passphraseCommand($0) },
      keyFile.map { .keyFile($0) }, recoveryKeyFile.map { .recoveryKeyFile($0) },
    ].compactMap(\.self)
  }
}
