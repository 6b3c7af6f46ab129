import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveTarImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Create a snapshot from a tar stream.",
    usage: "todana archive tar import [<options>] <archive> [<file>]",
    discussion: """
      Reads the standard input, unless a file is given. The stream may be compressed with gzip, zstd, xz or bzip2. \
      Entries that cannot be in a snapshot are left out and listed, and the exit status is 1. If the stream is damaged \
      or truncated, no snapshot is made.

      While another process has the archive open, the command waits for five minutes, or for the time set by --wait.

      \(EnvironmentHelp.archive)

      Examples:
        ssh host tar -c --xattrs --acls /etc | todana archive tar import /backup/Files.todana --host host
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(
    help: ArgumentHelp(
      "The tar file; by default or for -, the standard input.", valueName: "file"),
    completion: .file())
  var files: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Option(
    help: ArgumentHelp("Exclude files that match (rules of gitignore); can be repeated.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(
    help: ArgumentHelp(
      "Read patterns to exclude from this file, one per line; can be repeated.", valueName: "file"))
  var excludeFrom: [String] = []
  @Option(
    help: ArgumentHelp("Include files that match, even if --exclude matches; can be repeated.", valueName: "pattern"))
  var include: [String] = []
  @Option(help: ArgumentHelp("Exclude files larger than this, such as 100M.", valueName: "size"))
  var excludeLargerThan: String?
  @Option(help: ArgumentHelp("Put all files below this path of the snapshot.", valueName: "path")) var into: String?
  @OptionGroup var noted: NewSnapshotArguments
  @Flag(help: "Show what would be archived, but store nothing.") var dryRun = false
  @Flag(help: "List each path that is excluded, with the rule that excludes it.") var verbose = false
  @OptionGroup var report: ReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + files }

  func run() throws {
    let (path, files) = try ArchiveOptions.split(arguments)
    guard files.count < 2 else { throw ValidationError("More than one file given: import one after the other.") }
    let file = files.first ?? "-"
    try StandardInput.check(
      [file == "-" ? "the tar stream" : nil, options.secret.standardInputUse()]
        + FilterArguments.standardInputUses(excludeFrom: excludeFrom))
    if file == "-", isatty(STDIN_FILENO) == 1 {
      throw ValidationError("A tar stream is not read from a terminal: give a file, or redirect the standard input.")
    }
    let importOptions = try importOptions()
    let added = try added(from: InputDescriptor(file), file, to: path, importOptions)
    try say(added)
    try added.checkOutcome(isDryRun: dryRun)
  }

  private func added(
    from input: borrowing InputDescriptor, _ file: String, to path: String, _ importOptions: AddOptions
  ) throws -> Archive.Added {
    let descriptor = input.descriptor
    return try options.withArchive(
      path, dryRun ? .read : .write, defaultWait: WaitOptions.unattendedSeconds
    ) { archive in
      var line = ProgressLine(isShown: !report.quiet && !report.json)
      defer { line.clear() }
      let start = ContinuousClock.now
      return try archive.importTar(
        from: descriptor, name: bytes(file), into: bytes(into ?? ""), options: importOptions
      ) { progress in
        try Interruption.check()
        line.show(ArchiveProgressText.text(of: progress, seconds: start.duration(to: .now).seconds))
      }
    }
  }

  private func importOptions() throws -> AddOptions {
    var result = try noted.options()
    do {
      result.filter = try FilterArguments.options(exclude: exclude, excludeFrom: excludeFrom, include: include)
      result.filter.largestFile = try excludeLargerThan.map { try ByteSize($0) }
    } catch let error as ArchiveError {
      throw ValidationError("\(error)")
    }
    result.notesExclusions = verbose
    result.isDryRun = dryRun
    return result
  }

  private func say(_ added: Archive.Added) throws {
    added.tellFailures(verbose: verbose)
    if report.json { return try printJSON(AddedReport(added, comparesFiles: false)) }
    try added.say(compared: ".", isDryRun: dryRun, nothing: "Nothing in the stream could be read")
  }
}
