import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Restore files from a snapshot.",
    usage: "todana archive extract [<options>] <archive> [<path> ...]",
    discussion: """
      Files are restored to a new directory that is named after the snapshot, or to --target. Nothing is written \
      outside of this directory.

      An interrupted command can be run again. It restores the missing files, and completes the metadata of unfinished \
      directories: their permissions, owners, attributes and times.

      Values of --overwrite:
        never     keep existing files and directories; a file with the same
                  length and time counts as up to date
        older     like never, but replace older files, and set the metadata
                  of older directories
        always    replace files with other content, and set the metadata of
                  all others; content is compared
        metadata  set the metadata of files and directories; content is
                  neither compared nor replaced

      Values of --owner; only root can give files to other users:
        own       the user who runs the command
        numbers   the user and group with the stored numbers
        names     the user and group with the stored names

      \(EnvironmentHelp.archive)

      Examples:
        todana archive extract /backup/Files.todana --target restored
        todana archive extract /backup/Files.todana Documents --snapshot 03726fca
      """,
    aliases: ["restore"])

  enum Overwrite: String, ExpressibleByArgument, CaseIterable { case never, older, always, metadata }
  enum Owner: String, ExpressibleByArgument, CaseIterable { case own, numbers, names }

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Paths in the snapshot; by default, all.", valueName: "path"))
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption
  @Option(help: ArgumentHelp("Restore to this directory.", valueName: "directory"), completion: .directory)
  var target: String?
  @Option(
    help: ArgumentHelp("How to treat existing files and directories.", valueName: "never|older|always|metadata"))
  var overwrite = Overwrite.never
  @Option(help: ArgumentHelp("The owner of restored files.", valueName: "own|numbers|names")) var owner = Owner.numbers
  @Option(
    help: ArgumentHelp("Do not restore files that match (rules of gitignore); can be repeated.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(
    help: ArgumentHelp("Restore files that match, even if --exclude matches; can be repeated.", valueName: "pattern"))
  var include: [String] = []
  @Flag(help: "Flush each file to disk before renaming it into place.") var sync = false
  @Flag(help: "Show what would be restored, but write nothing.") var dryRun = false
  @Flag(help: "List each file as restored, current (up to date), updated (metadata only), kept or left out.")
  var verbose = false
  @OptionGroup var report: ReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + paths }

  func run() throws {
    let (path, paths) = try ArchiveOptions.split(arguments)
    var extractOptions = ExtractOptions()
    extractOptions.filter = try FilterArguments.options(exclude: exclude, include: include)
    extractOptions.paths = paths.map(bytes)
    extractOptions.isDryRun = dryRun
    if verbose, !report.json { extractOptions.visit = Self.show }
    extractOptions.restoring = RestoreOptions(
      overwriting: overwriting,
      owners: owner == .own ? .own : owner == .numbers ? .numbers : .names, flushesFiles: sync)
    let (directory, progress) = try options.withArchive(path) { archive in
      let snapshot = try archive.chosenSnapshot(snapshot.snapshot)
      let directory = try target ?? newDirectory(snapshot)
      var line = ProgressLine(isShown: !report.quiet && !report.json && !verbose)
      defer { line.clear() }
      let start = ContinuousClock.now
      let total = paths.isEmpty ? snapshot.counts : nil
      let progress = try archive.extract(snapshot, to: bytes(directory), options: extractOptions) { progress in
        try Interruption.check()
        line.show(
          ArchiveProgressText.text(of: progress, total: total, seconds: start.duration(to: .now).seconds))
      }
      return (directory, progress)
    }
    try say(progress, directory)
    // Skipped owners cause one warning, which is not a problem for a user who cannot set owners.
    if progress.counts.failures > 0
      || !progress.warnings.isEmpty && progress.warnings.count > (progress.skippedOwners > 0 ? 1 : 0)
    {
      throw ExitStatus.somethingWrong
    }
  }

  @Sendable private static func show(_ path: [UInt8], _ outcome: ExtractOptions.Outcome) throws {
    let word =
      switch outcome {
      case .restored: "restored"
      case .right: "current "
      case .updated: "updated "
      case .kept: "kept    "
      case .leftOut: "left out"
      }
    try StandardOutput.line("\(word)  \(printable(path))")
  }

  /// Returns the name of the default target, which must not exist.
  private func newDirectory(_ snapshot: Snapshot) throws -> String {
    let name = "snapshot-\(snapshot.id.short)"
    guard !FileManager.default.fileExists(atPath: name) || dryRun else {
      throw ValidationError("“\(name)” already exists: pass --target to restore to another directory.")
    }
    return name
  }

  private var overwriting: RestoreOptions.Overwriting {
    switch overwrite {
    case .never: .never
    case .older: .older
    case .always: .always
    case .metadata: .metadata
    }
  }

  private func say(_ progress: ExtractProgress, _ directory: String) throws {
    for text in progress.warnings + progress.failures { printError(text) }
    let unlisted =
      progress.warningCount - progress.warnings.count + progress.counts.failures - progress.failures.count
    if unlisted > 0 { printError("\(formattedCount(unlisted)) more are not listed.") }
    if report.json { return try printJSON(ExtractReport(progress, directory)) }
    let verb = dryRun ? "Would restore" : "Restored"
    try StandardOutput.line(
      "\(verb) \(counted(progress.counts.files, "file")) and "
        + "\(counted(progress.counts.directories, "directory", "directories")), "
        + "\(formattedSize(Int(progress.counts.bytes))), to \(printable(directory)).")
    for line in ExtractSummary(progress, overwrite, isDryRun: dryRun).lines { try StandardOutput.line(line) }
    if progress.counts.failures > 0 {
      try StandardOutput.line("\(counted(progress.counts.failures, "problem")), listed above.")
    }
  }
}
