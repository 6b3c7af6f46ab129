import ArgumentParser
import Todana

/// The command `todana store drop`.
struct DropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Remove a class with its records, indexes and fields.",
    discussion: """
      Use this for a class that no program uses any longer. The removal cannot be undone: make a backup first. Objects \
      of other classes keep their references to the removed ones. The space on the disk is freed.

      On a terminal, the command asks before it removes anything, unless --yes is passed. Without a terminal it needs \
      --yes.

      \(EnvironmentHelp.store)

      Examples:
        todana store drop Music.todana Legacy
        todana store drop Music.todana Legacy --yes
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The stored name of the class.", completion: ClassNameCompletion.kind) var className: String
  @Flag(help: "Do not ask.") var yes = false
  @Flag(help: "Print the report as one JSON object.") var json = false

  private struct Report: Encodable {
    let `class`: String
    /// The number of removed records; nil if the class's file was damaged.
    let recordCount: Int?
    let indexCount: Int
  }

  func run() throws {
    let report = try store.withStore(.writeExisting) { store in
      let entry = try store.catalog.first { $0.name.utf8.elementsEqual(className.utf8) }
      let indexes = try store.storedIndexes.filter { $0.className.utf8.elementsEqual(className.utf8) }
      let report = Report(class: className, recordCount: entry?.recordCount, indexCount: indexes.count)
      // The library throws the error if there is no entry.
      if entry != nil { try confirm(report) }
      try store.dropClass(named: className)
      return report
    }
    if json { return try printJSON(report) }
    try StandardOutput.line("Removed \(text(of: report)).")
  }

  private func confirm(_ report: Report) throws {
    if yes { return }
    guard let terminal = Terminal() else {
      throw ValidationError("Nothing was removed: pass --yes, as there is no terminal to ask on.")
    }
    let question = "Remove \(text(of: report)) from \(printable(store.store))? [y/N] "
    guard try terminal.confirms(question) else {
      throw OutputError(description: "Nothing was removed.")
    }
  }

  /// Returns the class with its numbers of records and indexes.
  private func text(of report: Report) -> String {
    let records = report.recordCount.map { counted($0, "record") } ?? "damaged records"
    let indexes = report.indexCount > 0 ? " and \(counted(report.indexCount, "index", "indexes"))" : ""
    return "class \(printable(className)) with \(records)\(indexes)"
  }
}
