import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveRewriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rewrite",
    abstract: "Remove files from existing snapshots.",
    usage: "todana archive rewrite [<options>] <archive> [<id> ...]",
    discussion: """
      Use this for files that should never have been archived. Without ids, all snapshots are changed. A changed \
      snapshot gets a new id. A snapshot that would lose all its files is not changed, and the exit status is 1, \
      unless --allow-empty is passed. 'todana archive compact' then removes the content.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive rewrite /backup/Files.todana --exclude '*.iso' --dry-run
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Ids of snapshots; by default, all.", valueName: "id"))
  var ids: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Option(help: ArgumentHelp("Remove files that match (rules of gitignore); can be repeated.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(
    help: ArgumentHelp("Read patterns to remove from this file, one per line; can be repeated.", valueName: "file"),
    completion: .file())
  var excludeFrom: [String] = []
  @Flag(help: "Also change snapshots that lose all their files.") var allowEmpty = false
  @Flag(help: "Show what would be removed, but change nothing.") var dryRun = false
  @OptionGroup var report: SnapshotReportOptions

  private var arguments: [String] { [archive].compactMap(\.self) + ids }

  func run() throws {
    let (path, ids) = try ArchiveOptions.split(arguments)
    guard !exclude.isEmpty || !excludeFrom.isEmpty else {
      throw ValidationError("No pattern given: pass --exclude or --exclude-from.")
    }
    try StandardInput.check(
      [options.secret.standardInputUse()] + FilterArguments.standardInputUses(excludeFrom: excludeFrom))
    let rules = try FilterArguments.options(exclude: exclude, excludeFrom: excludeFrom, include: [])
    var line = ProgressLine(isShown: !report.quiet && !report.json)
    defer { line.clear() }
    let changes = try options.withArchive(path, dryRun ? .read : .write) { archive in
      let snapshots = try ids.isEmpty ? archive.snapshots() : ids.map { try archive.chosenSnapshot($0) }
      return try snapshots.enumerated().compactMap { number, snapshot -> Change? in
        line.show("rewriting", number, snapshots.count)
        let rewritten = try archive.rewrite(
          snapshot, leavingOut: rules, mayEmpty: allowEmpty, isDryRun: dryRun
        ) { try Interruption.check() }
        if rewritten.excludedCount == 0 { return nil }
        return Change(
          snapshot: "\(snapshot.id)", newSnapshot: rewritten.snapshot.map { "\($0.id)" },
          excludedCount: rewritten.excludedCount, isRefused: rewritten.isRefused)
      }
    }
    line.clear()
    if report.json {
      for change in changes { try printJSON(change) }
    } else {
      try say(changes)
    }
    if changes.contains(where: \.isRefused) { throw ExitStatus.somethingWrong }
  }

  private func say(_ changes: [Change]) throws {
    for change in changes {
      let old = change.snapshot.prefix(8)
      let excluded = counted(change.excludedCount, "path")
      if change.isRefused {
        printError("Snapshot \(old) would lose all its files, so it is not changed: pass --allow-empty to change it.")
      } else if let new = change.newSnapshot?.prefix(8) {
        try StandardOutput.line("Snapshot \(old) rewritten as \(new), without \(excluded).")
      } else {
        try StandardOutput.line("Snapshot \(old) would be rewritten without \(excluded).")
      }
    }
    if changes.isEmpty { try StandardOutput.line("No snapshot contains a matching file: nothing was changed.") }
    if dryRun { try StandardOutput.line("Nothing was changed: this was a dry run.") }
  }

  private struct Change: Encodable {
    let snapshot: String
    /// The new snapshot; nil if the old one stays.
    let newSnapshot: String?
    let excludedCount: Int
    let isRefused: Bool
  }
}
