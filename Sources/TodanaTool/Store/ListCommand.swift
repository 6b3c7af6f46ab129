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
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The maximum number of records.", valueName: "count")
  ) var limit: Int?
  @Option(help: ArgumentHelp("Begin after this row id.", valueName: "row")) var after: RowID = 0
  @OptionGroup var options: ListOptions

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit needs a number of records, 0 or more.") }
  }

  func run() throws {
    var isSound = true
    try store.withStore { store in
      let lines = RecordLines(layout: try store.contentLayout(ofClassNamed: className), isJSON: options.json)
      var count = 0
      let policy = DamagePolicy.report { error in
        isSound = false
        printError("\(error)")
      }
      try store.rawRecords(ofClassNamed: className, after: after, onDamage: policy) { record, stop in
        try Interruption.check()
        if count == 0 { try lines.printHeadings() }
        if limit != 0 { try lines.print(record) }
        count += 1
        stop = limit.map { count >= $0 } ?? false
      }
      if count == 0 { try lines.printHeadings() }
    }
    if !isSound { throw ExitStatus.somethingWrong }
  }
}
