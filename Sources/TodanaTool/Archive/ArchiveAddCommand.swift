import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Create a snapshot of files and directories.",
    usage: "todana archive add [<options>] <archive> <path> ...",
    discussion: """
      Files unchanged since the last snapshot of the same paths are not read again. Files that cannot be read are left \
      out and listed, and the exit status is 1.

      With --stdin-from-command, the output of another command is archived as one file:

        todana archive add <archive> --stdin-from-command -- pg_dump mydb

      If that command fails, no snapshot is made, and the exit status is 4. With --stdin, a failure of the program \
      that writes to the pipe cannot be detected; only an empty input is refused.

      While another process has the archive open, the command waits for five minutes, or for the time set by --wait.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive add /backup/Files.todana Documents --exclude '*.tmp'
        todana archive add /backup/Files.todana --stdin-from-command -- pg_dump mydb
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(
    help: ArgumentHelp(
      "The paths to archive; with --stdin-from-command, the command.", valueName: "path"),
    completion: .file())
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Choosing") var filter: FilterArguments

  @Option(
    help: ArgumentHelp(
      "Also archive the paths in this file, one per line or NUL-separated; - is the standard input.",
      valueName: "file"),
    completion: .file())
  var filesFrom: String?
  @Option(help: ArgumentHelp("Archive the standard input as a file of this name.", valueName: "name"))
  var stdin: String?
  @Flag(help: "Archive the output of the command after -- as a file, named after the command or by --stdin.")
  var stdinFromCommand = false
  @Flag(help: "Make a snapshot even if the standard input is empty.") var allowEmpty = false
  @OptionGroup var noted: NewSnapshotArguments
  @Flag(help: "Read all files, including unchanged ones.") var rescan = false
  @Flag(help: "Ignore inode numbers when detecting unchanged files, for network file systems.")
  var ignoreInode = false
  @Flag(help: "Ignore the change time (ctime) when detecting unchanged files.") var ignoreCtime = false
  @Flag(help: "Show what would be archived, but store nothing.") var dryRun = false
  @Flag(help: "List each file that is excluded, with the rule that excludes it.") var verbose = false
  @OptionGroup var report: ReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + paths }

  func run() throws {
    try StandardInput.check(
      [
        stdin != nil && !stdinFromCommand ? "the content to archive" : nil,
        filesFrom == "-" ? "the list of paths" : nil, options.secret.standardInputUse(),
      ] + FilterArguments.standardInputUses(excludeFrom: filter.excludeFrom))
    let (path, source) = try source()
    let addOptions = try addOptions()
    let added = try options.withArchive(
      path, dryRun ? .read : .write, defaultWait: WaitOptions.unattendedSeconds
    ) { archive in
      var line = ProgressLine(isShown: !report.quiet && !report.json)
      defer { line.clear() }
      let start = ContinuousClock.now
      let added = try source.add(to: archive, addOptions) { progress in
        try Interruption.check()
        line.show(ArchiveProgressText.text(of: progress, seconds: start.duration(to: .now).seconds))
      }
      line.clear()
      warnOfFuture(try archive.snapshots())
      return added
    }
    try say(added)
    try added.checkOutcome(isDryRun: dryRun)
  }

  private func source() throws -> (archive: String, source: AddSource) {
    let (archive, rest) = try ArchiveOptions.split(arguments)
    if stdinFromCommand { return (archive, try command(rest)) }
    var paths = rest.map(bytes)
    if let filesFrom {
      paths += try FileList(InputDescriptor.content(of: filesFrom, byteLimit: 1 << 30)).paths
    }
    if let stdin {
      guard paths.isEmpty else { throw ValidationError("--stdin and paths cannot be used together.") }
      return (archive, .standardInput(name: bytes(stdin), mayBeEmpty: allowEmpty))
    }
    if paths.isEmpty { throw ValidationError("There is nothing to archive: give at least one path.") }
    return (archive, .paths(paths))
  }

  private func command(_ words: [String]) throws -> AddSource {
    if filesFrom != nil { throw ValidationError("--stdin-from-command and --files-from cannot be used together.") }
    guard let program = words.first else {
      throw ValidationError("No command given: write it after --, as in “--stdin-from-command -- pg_dump mydb”.")
    }
    let typed = TypedArguments.all
    if let separator = typed.firstIndex(of: "--"), words.count > typed.count - separator - 1 {
      throw ValidationError(
        "--stdin-from-command and paths cannot be used together: “\(printable(program))” is before --.")
    }
    let name = stdin ?? program.split(separator: "/").last.map(String.init) ?? program
    return .command(words, name: bytes(name))
  }

  private func addOptions() throws -> AddOptions {
    var result = try noted.options()
    do {
      result.filter = try filter.options()
    } catch let error as ArchiveError {
      throw ValidationError("\(error)")
    }
    result.notesExclusions = verbose
    result.rescans = rescan
    result.ignoresInode = ignoreInode
    result.ignoresChangeTime = ignoreCtime
    result.isDryRun = dryRun
    return result
  }

  private func say(_ added: Archive.Added) throws {
    added.tellFailures(verbose: verbose)
    if report.json { return try printJSON(AddedReport(added, comparesFiles: true)) }
    let progress = added.progress
    try added.say(
      compared: ": \(formattedCount(progress.newFiles)) new, \(formattedCount(progress.changedFiles)) changed, "
        + "\(formattedCount(progress.unchangedFiles)) unchanged.",
      isDryRun: dryRun,
      nothing: progress.excludedArchives.isEmpty || progress.counts.failures > 0
        ? "Nothing could be read" : "There is nothing else to archive")
  }
}
