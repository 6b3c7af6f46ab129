import ArgumentParser
import Todana

/// The command `todana store backups`.
struct BackupsTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups",
    abstract: "List, verify, remove or prune the backups of a series.",
    discussion: """
      \(EnvironmentHelp.progress)

      Examples:
        todana store backups list /backup/Music.series
      """,
    version: TodanaTool.configuration.version,
    subcommands: [
      BackupsListCommand.self, BackupsVerifyCommand.self, BackupsRemoveCommand.self, BackupsPruneCommand.self,
    ])
}

/// The command `todana store backups list`.
struct BackupsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the backups of a series.",
    discussion: """
      \(EnvironmentHelp.progress)

      Examples:
        todana store backups list /backup/Music.series
      """, version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the series.", completion: .directory) var series: String
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var options: ListOptions

  func run() throws {
    let backups = try waiting.waiting(for: series).whileInUse { try BackupSeries(at: series).backups() }
    var table = TextTable(.number("Number"), .text("date"), .number("commit"), .number("size"), .number("new"))
    for info in backups {
      if options.json {
        try printJSON(BackupEntry(info))
      } else if info.isReadable {
        table.append(
          "\(info.number)", formattedDate(info.date), "\(info.commitNumber)", formattedSize(info.byteCount),
          formattedSize(info.newByteCount))
      } else {
        table.append("\(info.number)", "cannot be read", "–", "–", "–")
      }
    }
    if !options.json { try table.print() }
    if backups.contains(where: { !$0.isReadable }) { throw ExitStatus.somethingWrong }
  }
}

/// The command `todana store backups verify`.
struct BackupsVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check all data of the backups against their checksums.",
    discussion: """
      \(EnvironmentHelp.progress)

      Examples:
        todana store backups verify /backup/Music.series
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the series.", completion: .directory) var series: String
  @Option(help: "The number of one backup; by default, all are checked.") var number: Int?
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var options: ReportOptions

  func run() throws {
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let report = try waiting.waiting(for: series).whileInUse {
      try BackupSeries(at: series).verify(number) {
        line.show("verifying", $0.doneByteCount, $0.byteCount)
        try Interruption.check()
      }
    }
    line.clear()
    if options.json { try printJSON(SeriesVerificationReport(report)) } else { try show(report) }
    if !report.isSound { throw ExitStatus.somethingWrong }
  }

  private func show(_ report: BackupVerification) throws {
    for damage in report.damages { try StandardOutput.line(printableMessage("\(damage)")) }
    if report.damageCount > report.damages.count {
      try StandardOutput.line("… and \(formattedCount(report.damageCount - report.damages.count)) more")
    }
    try StandardOutput.line(
      "\(counted(report.backupCount, "backup")) with \(formattedSize(report.byteCount)): "
        + (report.isSound ? "nothing is damaged." : "\(counted(report.damageCount, "damaged part"))."))
    if !report.isSound {
      let numbers = report.damagedBackups.map { "\($0)" }.joined(separator: ", ")
      try StandardOutput.line("These backups cannot be restored: \(numbers). Use another one.")
    }
  }
}

/// The command `todana store backups remove`.
struct BackupsRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove one backup of a series.",
    discussion: """
      The other backups stay complete. The only backup of a series cannot be removed: remove the directory instead.

      \(EnvironmentHelp.progress)

      Examples:
        todana store backups remove /backup/Music.series 12
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the series.", completion: .directory) var series: String
  @Argument(help: "The number of the backup that 'backups list' shows.") var number: Int
  @OptionGroup var waiting: WaitOptions
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false

  func run() throws {
    var line = ProgressLine(isShown: !quiet)
    defer { line.clear() }
    try waiting.waiting(for: series).whileInUse {
      try BackupSeries(at: series).remove(number) {
        line.show("removing", $0.doneByteCount, $0.byteCount)
        try Interruption.check()
      }
    }
  }
}

/// The command `todana store backups prune`.
struct BackupsPruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove all backups but the newest ones.",
    discussion: """
      \(EnvironmentHelp.progress)

      Examples:
        todana store backups prune /backup/Music.series --keep 30
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the series.", completion: .directory) var series: String
  @Option(help: ArgumentHelp("The number of backups to keep.", valueName: "count")) var keep: Int
  @OptionGroup var waiting: WaitOptions
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false

  func validate() throws {
    guard keep > 0 else { throw ValidationError("--keep needs a number of backups, 1 or more.") }
  }

  func run() throws {
    var line = ProgressLine(isShown: !quiet)
    defer { line.clear() }
    try waiting.waiting(for: series).whileInUse {
      try BackupSeries(at: series).prune(keeping: keep) {
        line.show("pruning", $0.doneByteCount, $0.byteCount)
        try Interruption.check()
      }
    }
  }
}
