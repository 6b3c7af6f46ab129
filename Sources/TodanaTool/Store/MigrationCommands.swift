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

      \(EnvironmentHelp.store)
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    if options.resume { return try options.run(store, secret: try store.secret.given()) { _, _ in true } }
    try options.run(store, secret: nil) { opened, progress in
      // Ask for the passphrase only after the store was opened.
      try opened.encrypt(with: try store.secret.new(for: store.store), progress: progress)
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
  @Flag(help: "Show no progress.") var quiet = false

  /// Opens the store, and begins or resumes the work.
  func run(
    _ options: StoreOptions, secret: StoreSecret?,
    begin: (Store, (MigrationProgress) -> Bool) throws -> Bool
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
