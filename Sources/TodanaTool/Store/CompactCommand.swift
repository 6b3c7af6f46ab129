import ArgumentParser
import Todana

/// The command `todana store compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Makes a store's files as small as they get.",
    discussion: """
      Takes at most 64 MiB of additional room on the disk, or a twentieth of the largest file. `todana store info` says how \
      much space it would give back.
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
    for name in names { try StandardOutput.line("\(printable(name)): smaller now") }
    if names.isEmpty { try StandardOutput.line("No class's file can become smaller.") }
  }
}
