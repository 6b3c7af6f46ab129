import ArgumentParser
import Todana

/// The command `todana store compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Free the unused space in a store's files.",
    discussion: """
      Needs at most 64 MiB of free disk space, or a twentieth of the largest file if that is more. 'todana store info' \
      shows how much space would be freed.

      \(EnvironmentHelp.store)

      Examples:
        todana store compact Music.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ReportOptions

  private struct Report: Encodable {
    let classes: [String]
  }

  func run() throws {
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let names = try store.withStore(.writeExisting) { store in
      try store.compact { progress in
        line.show("compacting \(progress.className ?? "the rest"): \(formattedPercentage(progress.fractionCompleted))")
        return !Interruption.isPending
      }
    }
    line.clear()
    try Interruption.check()
    if options.json { return try printJSON(Report(classes: names)) }
    for name in names { try StandardOutput.line("Compacted \(printable(name)).") }
    if names.isEmpty { try StandardOutput.line("There is no unused space to free.") }
  }
}
