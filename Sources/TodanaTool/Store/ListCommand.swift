import ArgumentParser
import Todana

/// The command `todana store list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the records of a class in the order of their row ids.",
    discussion: """
      Shows the fields of each record if its class declares contentFields.

      \(EnvironmentHelp.store)

      Examples:
        todana store list Music.todana Song --after 500 --limit 10
        todana store list Music.todana Song --json | jq -c 'select(.fields.seconds > 600)'
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The stored name of the class.", completion: ClassNameCompletion.kind) var className: String
  @Option(help: ArgumentHelp("The maximum number of records.", valueName: "count")) var limit: Int?
  @Option(help: ArgumentHelp("Begin after this row id.", valueName: "row")) var after: RowID = 0
  @OptionGroup var options: ListOptions

  private struct Entry: Encodable {
    let row: RowID
    let version: UInt8
    let byteCount: Int
    let fields: RecordFields?
  }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit needs a number of records, 0 or more.") }
  }

  func run() throws {
    var isSound = true
    try store.withStore { store in
      if !options.json { try StandardOutput.line(Self.line("row", "version", "bytes")) }
      let layout = try store.contentLayout(ofClassNamed: className)
      var count = 0
      guard limit != 0 else { return }
      let policy = DamagePolicy.report { error in
        isSound = false
        printError("\(error)")
      }
      try store.rawRecords(ofClassNamed: className, after: after, onDamage: policy) { record, stop in
        try Interruption.check()
        try show(
          Entry(
            row: record.rowID, version: record.version, byteCount: record.content.count,
            fields: RecordFields(of: record, layout)))
        count += 1
        stop = count == limit
      }
    }
    if !isSound { throw ExitStatus.somethingWrong }
  }

  private func show(_ entry: Entry) throws {
    if options.json { return try printJSON(entry) }
    let line = Self.line("\(entry.row)", "\(entry.version)", formattedCount(entry.byteCount))
    try StandardOutput.line(line + (entry.fields.map { "  " + $0.summary(width: 78 - line.count) } ?? ""))
  }

  /// Returns a line of the list.
  ///
  /// A table is not used, as it holds all rows in memory.
  private static func line(_ row: String, _ version: String, _ byteCount: String) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return right(row, 10) + right(version, 9) + right(byteCount, 15)
  }
}
