import ArgumentParser
import Foundation
import Todana

/// The command `todana store backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a store, or add a backup of it to a series.",
    discussion: """
      A copy is a complete store, with the same passphrases and keys. With --encrypted the copy has its own passphrase \
      or key, with --decrypted it has none. Both options copy record by record, which takes longer.

      A backup of a damaged store has the same damage: the status is then 1.

      A backup in a series takes only the space of the data that changed since the previous backup. 'todana store \
      restore' creates a store from a backup.

      \(EnvironmentHelp.storeAndNewPassphrase)

      Examples:
        todana store backup Music.todana /backup/Music.todana
        todana store backup --series Music.todana /backup/Music.series
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(
    help: "The copy's directory, which must not exist; with --series, the directory of the series.",
    completion: .directory)
  var destination: String
  @Flag(help: "Add a backup to a series.") var series = false
  @Flag(help: "Do not encrypt the copy.") var decrypted = false
  @Flag(help: "Encrypt the copy with a passphrase or key of its own.") var encrypted = false
  @OptionGroup(title: "Passphrase or key of the copy, with --encrypted") var newSecret: NewSecretOptions
  @OptionGroup var options: ReportOptions

  private struct Copy: Encodable {
    let commitNumber: CommitNumber
  }

  func validate() throws {
    guard [series, decrypted, encrypted].count(where: \.self) <= 1 else {
      throw ValidationError("Pass only one of --series, --decrypted and --encrypted.")
    }
    if newSecret.isPresent, !encrypted {
      throw ValidationError("A new passphrase or key needs --encrypted: without it, the copy has those of the store.")
    }
  }

  func run() throws {
    try TypedArguments.checkPath(destination)
    try StandardInput.check([store.secret.standardInputUse(), encrypted ? newSecret.standardInputUse() : nil])
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    // Open the store for writing, so that a backup to a series can begin with a checkpoint. No backup changes saved
    // data.
    if series {
      let (info, damage) = try store.withStore(.writeExisting) { store in
        let info = try self.store.waiting.waiting(for: destination).whileInUse {
          try store.backUp(into: BackupSeries(at: destination)) { try show($0, &line) }
        }
        return (info, try DamagedParts(of: store))
      }
      line.clear()
      if options.json {
        try printJSON(BackupEntry(info))
      } else {
        let size = formattedSize(info.newByteCount)
        try StandardOutput.line("Added backup \(info.number) of commit \(info.commitNumber): \(size) of new data.")
      }
      return try damage.checkBackup()
    }
    let copyEncryption = try self.copyEncryption()
    let (commitNumber, damage) = try store.withStore { store in
      let damage = try DamagedParts(of: store)
      if let copyEncryption {
        let commitNumber = try store.backUp(to: destination, encryption: copyEncryption) {
          line.show("copying", $0.copiedCount, $0.recordCount)
          try Interruption.check()
        }
        return (commitNumber, damage)
      }
      return (try store.backUp(to: destination) { try show($0, &line) }, damage)
    }
    line.clear()
    if options.json {
      try printJSON(Copy(commitNumber: commitNumber))
    } else {
      try StandardOutput.line("Copied the store as of commit \(commitNumber).")
    }
    try damage.checkBackup()
  }

  private func copyEncryption() throws -> StoreEncryption? {
    if decrypted { return StoreEncryption.none }
    guard encrypted else { return nil }
    let secret = try newSecret.secret(for: destination)
    return .callback { secret }
  }

  private func show(_ progress: BackupProgress, _ line: inout ProgressLine) throws {
    line.show("copying", progress.copiedByteCount, progress.byteCount)
    try Interruption.check()
  }
}

/// The command `todana store restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Create a store from a backup of a series.",
    discussion: """
      A copy made by 'todana store backup' without --series is already a store.

      \(EnvironmentHelp.progress)

      Examples:
        todana store restore /backup/Music.series Music.todana
        todana store restore /backup/Music.series Music.todana --number 12
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the series.", completion: .directory) var series: String
  @Argument(help: "The new store's directory, which must not exist.", completion: .directory) var newStore: String
  @Option(help: "The number of the backup; by default, the newest.") var number: Int?
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var options: ReportOptions

  func run() throws {
    try TypedArguments.checkPath(newStore)
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let info = try waiting.waiting(for: series).whileInUse(target: newStore) {
      try BackupSeries(at: series).restore(number, to: newStore) {
        line.show("restoring", $0.doneByteCount, $0.byteCount)
        try Interruption.check()
      }
    }
    line.clear()
    if options.json { return try printJSON(BackupEntry(info)) }
    try StandardOutput.line(
      "Restored backup \(info.number) of \(formattedDate(info.date)), commit \(info.commitNumber).")
  }
}

/// The JSON report of a backup of a series.
struct BackupEntry: Encodable {
  let number: Int
  let time: Date
  let commitNumber: CommitNumber
  let identity: String
  let byteCount: Int
  let newByteCount: Int
  let isReadable: Bool

  init(_ info: BackupInfo) {
    number = info.number
    time = info.date
    commitNumber = info.commitNumber
    identity = "\(info.storeID)"
    byteCount = info.byteCount
    newByteCount = info.newByteCount
    isReadable = info.isReadable
  }
}
