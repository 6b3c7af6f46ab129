import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Restores files of a snapshot.",
    usage: "todana archive extract [<options>] <archive> [<path> ...]",
    discussion: """
      Into a new directory, named after the snapshot, unless --target says where. Files that are there with the right length \
      and time stay as they are: an interrupted command can be run again. Nothing is ever written outside the target.
      """,
    aliases: ["restore"])

  enum Overwrite: String, ExpressibleByArgument, CaseIterable { case never, older, always }
  enum Owner: String, ExpressibleByArgument, CaseIterable { case own, numbers, names }

  @Argument(help: "The archive's directory, and paths in the snapshot.", completion: .file()) var arguments: [String] =
    []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption
  @Option(help: ArgumentHelp("Where to restore to.", valueName: "directory"), completion: .directory) var target:
    String?
  @Option(help: "Which files that are there are replaced: never, older or always.") var overwrite = Overwrite.never
  @Option(help: "Whose the files are: own, numbers or names; by default numbers for root, else own.") var owner: Owner?
  @Option(help: ArgumentHelp("Leave out what matches, by the rules of gitignore.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(help: ArgumentHelp("Take back what an --exclude left out.", valueName: "pattern")) var include: [String] = []
  @Flag(help: "Write each file to the disk before it gets its name.") var sync = false
  @Flag(help: "Say what would be restored, and write nothing.") var dryRun = false
  @Flag(help: "Show each file, and whether it is restored, right already, or another one that is kept.")
  var verbose = false
  @OptionGroup var report: ReportOptions

  func run() throws {
    let (path, paths) = try ArchiveOptions.split(arguments)
    var extractOptions = ExtractOptions()
    extractOptions.choosing = try ChoosingArguments.options(exclude: exclude, include: include)
    extractOptions.paths = paths.map(bytes)
    extractOptions.isDryRun = dryRun
    if verbose, !report.json { extractOptions.visit = Self.show }
    extractOptions.restoring = RestoreOptions(
      overwriting: overwrite == .never ? .never : overwrite == .older ? .older : .always,
      owners: owner.map { $0 == .own ? .own : $0 == .numbers ? .numbers : .names }, flushesFiles: sync)
    let (directory, progress) = try options.withArchive(path) { archive in
      let snapshot = try archive.snapshot(named: snapshot.snapshot)
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
      case .right: "right   "
      case .kept: "kept    "
      }
    try StandardOutput.line("\(word)  \(printable(String(decoding: path, as: UTF8.self)))")
  }

  /// Where nothing is yet.
  private func newDirectory(_ snapshot: Snapshot) throws -> String {
    let name = "snapshot-\(snapshot.id.short)"
    guard !FileManager.default.fileExists(atPath: name) || dryRun else {
      throw ValidationError("“\(name)” is there already: say with --target where to restore to.")
    }
    return name
  }

  private func say(_ progress: ExtractProgress, _ directory: String) throws {
    for text in progress.warnings + progress.failures { warn(text) }
    if report.json { return try printJSON(ExtractReport(progress, directory)) }
    let verb = dryRun ? "Would restore" : "Restored"
    try StandardOutput.line(
      "\(verb) \(counted(progress.counts.files, "file")) and "
        + "\(counted(progress.counts.directories, "directory", "directories")), "
        + "\(formattedSize(Int(progress.counts.bytes))), in \(printable(directory)).")
    if progress.rightFiles > 0 { try StandardOutput.line("\(counted(progress.rightFiles, "file")) right already.") }
    if progress.keptFiles > 0 {
      try StandardOutput.line("\(counted(progress.keptFiles, "other file")) kept: --overwrite replaces them.")
    }
    if progress.counts.failures > 0 {
      try StandardOutput.line("\(counted(progress.counts.failures, "problem")), listed above.")
    }
  }
}

private struct ExtractReport: Encodable {
  let target: String
  let files: Int
  let directories: Int
  let bytes: Int64
  let rightFiles: Int
  let keptFiles: Int
  let skippedOwners: Int
  let failureCount: Int
  let failures: [String]
  let warnings: [String]

  init(_ progress: ExtractProgress, _ target: String) {
    self.target = String(decoding: TypedArguments.bytes(target), as: UTF8.self)
    (files, directories, bytes) = (progress.counts.files, progress.counts.directories, progress.counts.bytes)
    (rightFiles, keptFiles) = (progress.rightFiles, progress.keptFiles)
    skippedOwners = progress.skippedOwners
    (failureCount, failures, warnings) = (progress.counts.failures, progress.failures, progress.warnings)
  }
}
