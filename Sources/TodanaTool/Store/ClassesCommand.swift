import ArgumentParser
import Todana

/// The command `todana store classes`.
struct ClassesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classes",
    abstract: "List the classes of a store.",
    discussion: """
      \(EnvironmentHelp.store)

      Examples:
        todana store classes Music.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ListOptions

  private struct Entry: Encodable {
    let `class`: String
    let number: UInt32
    let recordCount: Int?
    let nextRow: RowID?
  }

  func run() throws {
    let entries = try store.withStore { store in
      try store.catalog.map { entry in
        Entry(
          class: entry.name, number: entry.id?.rawValue ?? 0, recordCount: entry.recordCount,
          nextRow: entry.nextRowID)
      }
    }
    if options.json {
      for entry in entries { try printJSON(entry) }
    } else {
      var table = TextTable(.longText("Class"), .number("number"), .number("records"), .number("next row"))
      for entry in entries {
        table.append(
          entry.class, "\(entry.number)", entry.recordCount.map(formattedCount) ?? "damaged",
          entry.nextRow.map { "\($0)" } ?? "–")
      }
      try table.print()
    }
    if entries.contains(where: { $0.recordCount == nil }) { throw ExitStatus.somethingWrong }
  }
}
