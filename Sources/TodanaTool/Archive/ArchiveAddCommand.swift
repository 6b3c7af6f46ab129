import ArgumentParser
import Foundation
import Todana
import TodanaArchive

struct ArchiveAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Makes a snapshot of files and directories.",
    usage: "todana archive add [<options>] <archive> <path> ...",
    discussion: """
      Files that the last snapshot of the same paths has unchanged are not read again. What cannot be read is left out and \
      listed, and the exit status is 1 then.
      """)

  @Argument(help: "The archive's directory, and what to archive.", completion: .file()) var arguments: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup(title: "Choosing") var choosing: ChoosingArguments

  @Option(
    help: ArgumentHelp(
      "Archive the paths of a file too, one a line or NUL-separated; -: the standard input.", valueName: "file"),
    completion: .file())
  var filesFrom: String?
  @Option(help: ArgumentHelp("Archive the standard input as a file of this name.", valueName: "name"))
  var stdin: String?
  @OptionGroup var noted: NewSnapshotArguments
  @Flag(help: "Read all files, also those that are unchanged.") var rescan = false
  @Flag(help: "Say what would be archived, and store nothing.") var dryRun = false
  @Flag(help: "Show each file that was left out, and why.") var verbose = false
  @OptionGroup var report: ReportOptions

  func run() throws {
    let (path, paths) = try paths()
    let addOptions = try addOptions()
    let added = try options.withArchive(path, dryRun ? .read : .write) { archive in
      var line = ProgressLine(isShown: !report.quiet && !report.json)
      defer { line.clear() }
      let start = ContinuousClock.now
      func show(_ progress: AddProgress) throws {
        try Interruption.check()
        line.show(ArchiveProgressText.text(of: progress, seconds: start.duration(to: .now).seconds))
      }
      if let stdin {
        return try archive.add(descriptor: STDIN_FILENO, name: bytes(stdin), options: addOptions, progress: show)
      }
      return try archive.add(paths, options: addOptions, progress: show)
    }
    try say(added)
    if added.snapshot == nil, !dryRun { throw ExitStatus.failed }
    if added.progress.counts.failures > 0 { throw ExitStatus.somethingWrong }
  }

  private func paths() throws -> (archive: String, paths: [[UInt8]]) {
    let (archive, rest) = try ArchiveOptions.split(arguments)
    var paths = rest.map(bytes)
    if let filesFrom {
      paths += try FileList(InputFile.content(of: filesFrom, byteLimit: 1 << 30)).paths
    }
    if stdin != nil, !paths.isEmpty { throw ValidationError("--stdin and paths exclude each other.") }
    if stdin == nil, paths.isEmpty { throw ValidationError("There is nothing to archive: say which paths.") }
    return (archive, paths)
  }

  private func addOptions() throws -> AddOptions {
    var result = try noted.options()
    do {
      result.choosing = try choosing.options()
    } catch let error as ArchiveError {
      throw ValidationError("\(error)")
    }
    result.notesExclusions = verbose
    result.rescans = rescan
    result.isDryRun = dryRun
    return result
  }

  private func say(_ added: Archive.Added) throws {
    added.tellFailures(verbose: verbose)
    if report.json { return try printJSON(AddReport(added)) }
    let progress = added.progress
    try added.say(
      compared: ": \(formattedCount(progress.newFiles)) new, \(formattedCount(progress.changedFiles)) changed, "
        + "\(formattedCount(progress.unchangedFiles)) unchanged.",
      isDryRun: dryRun, nothing: "Nothing could be read")
  }
}

private struct AddReport: Encodable {
  let snapshot: String?
  let files: Int
  let directories: Int
  let bytes: Int64
  let newFiles: Int
  let changedFiles: Int
  let unchangedFiles: Int
  let bytesRead: Int64
  let newBytes: Int64
  let storedBytes: Int64
  let skippedSockets: Int
  let excluded: Int
  let failureCount: Int
  let failures: [String]

  init(_ added: Archive.Added) {
    let progress = added.progress
    snapshot = added.snapshot.map { "\($0.id)" }
    (files, directories, bytes) = (progress.counts.files, progress.counts.directories, progress.counts.bytes)
    (newFiles, changedFiles, unchangedFiles) = (progress.newFiles, progress.changedFiles, progress.unchangedFiles)
    (bytesRead, newBytes, storedBytes) = (progress.bytesRead, progress.newBytes, progress.storedBytes)
    (skippedSockets, excluded) = (progress.skippedSockets, progress.excluded)
    (failureCount, failures) = (progress.counts.failures, progress.failures)
  }
}
