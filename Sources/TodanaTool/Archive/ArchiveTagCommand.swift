import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveTagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "Change the tags and labels of snapshots.",
    usage: "todana archive tag [<options>] <archive> <id> ...",
    discussion: """
      \(EnvironmentHelp.archive)

      Examples:
        todana archive tag /backup/Files.todana latest --add monthly
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Ids of snapshots.", valueName: "id"))
  var ids: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Option(help: ArgumentHelp("Add this tag; can be repeated.", valueName: "tag")) var add: [String] = []
  @Option(help: ArgumentHelp("Remove this tag; can be repeated.", valueName: "tag")) var remove: [String] = []
  @Option(
    help: ArgumentHelp("Replace all tags by this tag; can be repeated; '' removes all.", valueName: "tag"))
  var set: [String] = []
  @Option(help: ArgumentHelp("Set this label; '' removes the label.", valueName: "name")) var label: String?
  @Flag(help: "Print the report as one JSON object.") var json = false

  private struct Report: Encodable {
    let changedCount: Int
  }

  private var arguments: [String] { [archive].compactMap(\.self) + ids }

  func validate() throws {
    if add.isEmpty, remove.isEmpty, set.isEmpty, label == nil {
      throw ValidationError("There is nothing to change: pass --add, --remove, --set or --label.")
    }
    if !set.isEmpty, !add.isEmpty || !remove.isEmpty {
      throw ValidationError("--set cannot be used together with --add or --remove.")
    }
  }

  func run() throws {
    let (path, ids) = try ArchiveOptions.split(arguments)
    guard !ids.isEmpty else { throw ValidationError("No snapshots given: pass their ids.") }
    let added = try checkedTags(add, "--add")
    let replacing = try checkedTags(set.filter { !$0.isEmpty }, "--set")
    let label = try label.map { $0.isEmpty ? "" : try checkedLabel($0) }
    let changedCount = try options.withArchive(path, .write) { archive in
      let snapshots = try ids.map { try archive.chosenSnapshot($0) }
      return try archive.change(snapshots) { tags, snapshotLabel in
        if !set.isEmpty { tags = [] }
        tags.removeAll { remove.contains($0) }
        for tag in added + replacing where !tags.contains(tag) { tags.append(tag) }
        if let label { snapshotLabel = label.isEmpty ? nil : label }
      }
    }
    if json { return try printJSON(Report(changedCount: changedCount)) }
    let changed = label == nil ? "tags" : "tags or labels"
    try StandardOutput.line("Changed the \(changed) of \(counted(changedCount, "snapshot")).")
  }
}
