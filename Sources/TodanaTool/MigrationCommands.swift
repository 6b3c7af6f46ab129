import ArgumentParser
import Todana

/// `todana store encrypt`.
struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypts a plain store.",
    discussion: """
      Afterwards nothing plain is left in its directory; what the disk, the file system and backups keep is out of reach. \
      Keep the passphrase: without it, all is lost.
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The store's directory.") var store: String
  @OptionGroup var secret: SecretOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    guard let secret = try secret.secret() else {
      throw ValidationError("A passphrase, a key or a recovery key is needed: nothing else will open the store.")
    }
    try options.run(store, options.resume ? secret : nil) { store, progress in
      try store.encrypt(with: secret, progress: progress)
    }
  }
}

/// `todana store decrypt`.
struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Makes an encrypted store a plain one, which everybody can read.",
    version: TodanaTool.configuration.version)

  @Argument(help: "The store's directory.") var store: String
  @OptionGroup var secret: SecretOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    try options.run(store, try secret.secret()) { store, progress in try store.decrypt(progress: progress) }
  }
}

/// `todana store rotate`.
struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Renews all keys of an encrypted store, and encrypts everything anew.",
    discussion: """
      For when somebody may have a passphrase and a copy of the file of keys: changing the passphrase alone does not shut \
      them out. All other passphrases and keys of the store are removed.
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The store's directory.") var store: String
  @OptionGroup var secret: SecretOptions
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the passphrase from now on, instead of what opens the store so far.",
      valueName: "file"))
  var newPassphraseFile: String?
  @OptionGroup var options: MigrationOptions

  func run() throws {
    let kept =
      try newPassphraseFile.map { StoreSecret.passphrase(try SecretOptions.firstLine(of: $0)) } ?? secret.secret()
    guard let kept else { throw ValidationError("A passphrase or key that opens the store is needed.") }
    try options.run(store, options.resume ? kept : try secret.secret()) { store, progress in
      let rotation = try store.keys.rotate(keeping: [kept], progress: progress)
      if !rotation.removedSlots.isEmpty {
        print("\(counted(rotation.removedSlots.count, "other passphrase or key", "other passphrases or keys")) removed")
      }
      return rotation.isFinished
    }
  }
}

/// What these commands have in common.
struct MigrationOptions: ParsableArguments {
  @Flag(help: "Go on with what was interrupted.") var resume = false
  @Flag(help: "Show no progress.") var quiet = false

  /// Opens the store and does the work, or the rest of it.
  func run(
    _ path: String, _ secret: StoreSecret?,
    begin: (Store, (MigrationProgress) -> Bool) throws -> Bool
  ) throws {
    var configuration = StoreConfiguration(encryption: secret.map { secret in .callback { secret } } ?? .none)
    configuration.resumingMigration = resume
    configuration.backendOptions.access = .writeExisting
    let store = try Store(.directory(path), classes: [], configuration: configuration)
    var line = ProgressLine(isShown: !quiet)
    let progress = { (progress: MigrationProgress) in
      line.show("rewriting", progress.doneByteCount, progress.byteCount)
      return true
    }
    _ = resume ? try store.resumeMigration(progress: progress) : try begin(store, progress)
    line.clear()
    try store.close()
  }
}
