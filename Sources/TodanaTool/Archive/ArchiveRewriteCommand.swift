import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveRewriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rewrite",
    abstract: "Leaves files out of snapshots afterwards.",
    usage: "todana archive rewrite [<options>] <archive> [<id> ...]",
    discussion: """
      For what was never to be archived: without ids, out of all snapshots. A changed snapshot gets another id. `compact` \
      then removes the bytes.
      """)

  @Argument(help: "The archive's directory, and the snapshots' ids.", completion: .file()) var arguments: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Option(help: ArgumentHelp("What is left out, by the rules of gitignore; several are allowed.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(help: ArgumentHelp("A file of such patterns, one a line.", valueName: "file"), completion: .file())
  var excludeFrom: [String] = []
  @OptionGroup var report: ReportOptions

  func run() throws {
    let (path, ids) = try ArchiveOptions.split(arguments)
    guard !exclude.isEmpty || !excludeFrom.isEmpty else {
      throw ValidationError("What is to be left out? Say it with --exclude.")
    }
    try StandardInput.check(
      [options.secret.standardInputUse()] + ChoosingArguments.standardInputUses(excludeFrom: excludeFrom))
    let rules = try ChoosingArguments.options(exclude: exclude, excludeFrom: excludeFrom, include: [])
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    let changes = try options.withArchive(path, .write) { archive in
      let snapshots = try ids.isEmpty ? archive.snapshots() : ids.map { try archive.snapshot(named: $0) }
      return try snapshots.enumerated().compactMap { number, snapshot -> Change? in
        line.show("Snapshots", number, snapshots.count)
        let rewritten = try archive.rewrite(snapshot, leavingOut: rules) { try Interruption.check() }
        return rewritten.snapshot.map {
          Change(old: "\(snapshot.id)", new: "\($0.id)", excluded: rewritten.excludedCount)
        }
      }
    }
    line.clear()
    if report.json { return try printJSON(changes) }
    for change in changes {
      try StandardOutput.line(
        "Snapshot \(change.old.prefix(8)) is \(change.new.prefix(8)) now, without \(counted(change.excluded, "path")).")
    }
    if changes.isEmpty { try StandardOutput.line("No snapshot has what was to be left out: nothing was changed.") }
  }

  private struct Change: Encodable {
    let old: String
    let new: String
    let excluded: Int
  }
}
