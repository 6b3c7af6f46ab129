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
      return try options.run(store, .encrypting, secret: secret) { _, _ in true }
    }
    try refuseEncryptedStore()
    try options.run(store, .encrypting, secret: nil) { opened, progress in
      // Ask for the passphrase only after the store was opened.
      try opened.encrypt(with: try newSecret.secret(for: store.store, or: store.secret), progress: progress)
    }
  }

  /// Throws if the store is already encrypted, or if its encryption or decryption was interrupted.
  ///
  /// Which of these is true can only be read with a passphrase or key that opens the store.
  private func refuseEncryptedStore() throws {
    guard store.isEncrypted else { return }
    let name = printable(store.store)
    let encrypted =
      "\(name) is already encrypted. 'todana store key change' changes its passphrase or key, and 'todana store key "
      + "rotate' encrypts it with new keys."
    let secret = try newSecret.given(or: store.secret) ?? SecretEnvironment.new.source()?.secret()
    guard let secret = try secret ?? SecretEnvironment.current.source()?.secret() else {
      throw CannotOpen("\(encrypted) If its encryption was interrupted, pass --resume to continue it.")
    }
    let opened: Store
    do {
      opened = try store.open(.read, resuming: true, secret: secret)
    } catch let error as CannotOpen where error.storeError?.code == .wrongKey {
      throw CannotOpen(
        "\(encrypted) The given passphrase or key does not open it. If its encryption was interrupted, pass --resume "
          + "and the passphrase or key with which it was begun.")
    }
    defer { try? opened.close(discarding: true) }
    switch try opened.unfinishedMigration() {
    case .encrypting: throw CannotOpen("The encryption of \(name) was interrupted: pass --resume to continue it.")
    case .decrypting: throw CannotOpen("The decryption of \(name) was interrupted: \(StoreMigration.decrypting.remedy)")
    default: throw CannotOpen(encrypted)
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
    try options.run(store, .decrypting, secret: try store.secret.given()) { store, progress in
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
  ///   - kind: The work of the command.
  ///   - secret: The secret that opens the store.
  ///   - begin: Begins the work; returns whether it is finished. Not called if the work is resumed.
  ///   - finish: Called when the work is finished.
  /// - Throws: ``Interrupted``; ``CannotOpen``; ``MigrationError``; errors of the closures.
  func run(
    _ options: StoreOptions, _ kind: StoreMigration, secret: StoreSecret?,
    begin: (Store, (MigrationProgress) -> Bool) throws -> Bool, finish: (Store) throws -> Void = { _ in }
  ) throws {
    let store = try open(options, kind, secret)
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
      // Nil if the store has failed, so that it cannot be asked.
      let isUnfinished = try? store.unfinishedMigration() != nil
      // Keep the first error, which the caller needs. Committed changes are in the log.
      try? store.close(discarding: true)
      guard let error = error as? StoreError, isUnfinished ?? true else { throw error }
      line.clear()
      throw MigrationError(error, kind, isCertain: isUnfinished != nil)
    }
    line.clear()
    try store.close()
    if !isFinished { throw Interrupted(advice: "run the same command with --resume to continue") }
  }

  /// Opens the store, and checks that there is work of this kind to resume if that was requested.
  private func open(_ options: StoreOptions, _ kind: StoreMigration, _ secret: StoreSecret?) throws -> Store {
    let nothing = MigrationError(
      "There is nothing to resume: no \(kind.noun) of \(printable(options.store)) was interrupted.")
    let store: Store
    do {
      store = try options.open(.writeExisting, resuming: resume, secret: secret)
    } catch let error as CannotOpen where resume && error.storeError?.code == .notEncrypted {
      throw nothing
    }
    guard resume else { return store }
    do {
      guard let unfinished = try store.unfinishedMigration() else { throw nothing }
      if unfinished.noun == kind.noun { return store }
      throw MigrationError(
        "Not the \(kind.noun) of \(printable(options.store)) was interrupted, but its \(unfinished.noun): "
          + unfinished.remedy)
    } catch {
      try? store.close(discarding: true)
      throw error
    }
  }
}

/// The error of a command that rewrites a whole store; it does not mean that nothing was changed.
struct MigrationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Parameters:
  ///   - error: The error that has ended the work.
  ///   - kind: The work.
  ///   - isCertain: Whether the store is known to be unfinished.
  init(_ error: StoreError, _ kind: StoreMigration, isCertain: Bool) {
    let cause = error.backendError?.code == .noSpace ? "Free some space on the disk, then run" : "Run"
    description =
      "\(error). The \(kind.noun) \(isCertain ? "is" : "may be") unfinished\(kind.consequence). No data are lost. "
      + "\(cause) the same command with --resume to finish it."
  }
}

extension StoreMigration {
  /// The work as a noun for messages.
  var noun: String {
    switch self {
    case .encrypting: "encryption"
    case .decrypting: "decryption"
    case .rotatingKeys: "key rotation"
    }
  }

  /// The sentence that names the command to continue the work.
  var remedy: String {
    switch self {
    case .encrypting: "continue it with 'todana store encrypt --resume'."
    case .decrypting: "continue it with 'todana store decrypt --resume'."
    case .rotatingKeys: "continue it with 'todana store key rotate --resume'."
    }
  }

  /// The consequence of unfinished work for other commands.
  fileprivate var consequence: String {
    switch self {
    case .encrypting, .decrypting: ", and all other commands refuse the store until it is finished"
    case .rotatingKeys: ""
    }
  }
}
