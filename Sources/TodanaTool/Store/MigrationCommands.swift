import ArgumentParser
import Todana

/// The command `todana store encrypt`.
struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypt a store.",
    discussion: """
      Afterwards no unencrypted data is left in the store's directory. Old copies in free blocks of the disk, in \
      snapshots of the file system and in backups are not removed. Keep the passphrase: it cannot be recovered.

      The options without --new- and TODANA_PASSPHRASE also give the new passphrase or key. With --resume, they give \
      the one with which the command was started.

      \(EnvironmentHelp.newStore)

      Examples:
        todana store encrypt Music.todana --new-passphrase-file secret.txt
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    if options.resume {
      let secret = try newSecret.given(or: store.secret) ?? SecretEnvironment.new.source()?.secret()
      return try options.run(store, secret: secret) { _, _ in true }
    }
    try options.run(store, secret: nil) { opened, progress in
      // Ask for the passphrase only after the store was opened.
      try opened.encrypt(with: try newSecret.secret(for: store.store, or: store.secret), progress: progress)
    }
  }
}

/// The command `todana store decrypt`.
struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Remove the encryption of a store.",
    discussion: """
      Afterwards everyone who can read the store's files can read its data.

      \(EnvironmentHelp.store)

      Examples:
        todana store decrypt Music.todana --passphrase-file secret.txt
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    try options.run(store, secret: try store.secret.given()) { store, progress in
      try store.decrypt(progress: progress)
    }
  }
}

/// The common options of the commands that rewrite a whole store.
struct MigrationOptions: ParsableArguments {
  @Flag(help: "Continue after an interruption.") var resume = false
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false

  /// Opens the store, and begins or resumes the work.
  ///
  /// - Parameters:
  ///   - options: The store.
  ///   - secret: The secret that opens it.
  ///   - begin: Begins the work; returns whether it is finished. Not called if the work is resumed.
  ///   - finish: Called when the work is finished.
  /// - Throws: ``Interrupted``; ``CannotOpen``; errors of the closures.
  func run(
    _ options: StoreOptions, secret: StoreSecret?,
    begin: (Store, (MigrationProgress) -> Bool) throws -> Bool, finish: (Store) throws -> Void = { _ in }
  ) throws {
    let store = try options.open(.writeExisting, resuming: resume, secret: secret)
    var line = ProgressLine(isShown: !quiet)
    defer { line.clear() }
    let progress = { (progress: MigrationProgress) in
      line.show("rewriting", progress.doneByteCount, progress.byteCount)
      return !Interruption.isPending
    }
    let isFinished: Bool
    do {
      isFinished = resume ? try store.resumeMigration(progress: progress) : try begin(store, progress)
      if isFinished { try finish(store) }
    } catch {
      // Keep the first error, which the caller needs. Committed changes are in the log.
      try? store.close(discarding: true)
      throw error
    }
    line.clear()
    try store.close()
    if !isFinished { throw Interrupted(advice: "run the same command with --resume to continue") }
  }
}
