import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove snapshots.",
    usage: "todana archive remove [<options>] <archive> <id> ...",
    discussion: """
      Either all of the given snapshots are removed, or none. 'todana archive compact' then frees their space.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive remove /backup/Files.todana 03726fca
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Ids of snapshots.", valueName: "id"))
  var ids: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Show what would be removed, but remove nothing.") var dryRun = false
  @Flag(help: "Print the report as one JSON object.") var json = false

  private struct Report: Encodable {
    let isDryRun: Bool
    let removedCount: Int
    /// The ids of the removed snapshots, the oldest first.
    let snapshots: [String]
  }

  private var arguments: [String] { [archive].compactMap(\.self) + ids }

  func run() throws {
    let (path, ids) = try ArchiveOptions.split(arguments)
    guard !ids.isEmpty else { throw ValidationError("No snapshots given: pass their ids.") }
    let removed = try options.withArchive(path, dryRun ? .read : .write) { archive in
      let snapshots = Set(try ids.map { try archive.chosenSnapshot($0) })
      if !dryRun { try archive.remove(Array(snapshots)) }
      return snapshots
    }
    let sorted = removed.sorted { $0.time < $1.time }
    if json {
      return try printJSON(
        Report(isDryRun: dryRun, removedCount: sorted.count, snapshots: sorted.map { "\($0.id)" }))
    }
    guard dryRun else { return try StandardOutput.line("Removed \(counted(removed.count, "snapshot")).") }
    for snapshot in sorted {
      try StandardOutput.line(
        printable("Would remove \(snapshot.id.short)  \(formattedDate(snapshot.time))  \(snapshot.shownPaths)"))
    }
    try StandardOutput.line("Would remove \(counted(removed.count, "snapshot")).")
  }
}
