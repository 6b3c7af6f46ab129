import ArgumentParser
import Todana

/// The command `todana store encrypt`.
struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypts a plain store.",
    discussion: """
      Afterwards nothing plain is left in its directory; what the disk, the file system and backups keep is out of reach. \
      Keep the passphrase: without it, all is lost.
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
    abstract: "Makes an encrypted store a plain one, which everybody can read.",
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
  @Flag(help: "Go on with what was interrupted.") var resume = false
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
    if !isFinished { throw Interrupted(advice: "the same command with --resume goes on") }
  }
}
