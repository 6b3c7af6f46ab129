import ArgumentParser
import Todana
import TodanaDocuments

/// The command `todana store query`.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Find records of a class by a condition on its fields.",
    discussion: """
      The class must have declared contentFields; `store list` shows their names. A condition compares fields with \
      numbers, texts in quotation marks, TRUE, FALSE and NULL:

        seconds > 200 AND (genre = 'Jazz' OR title BEGINSWITH 'B')
        title CONTAINS[c] 'ecoute'                  ignoring case and accents
        added >= '2026-01-01'                       dates in ISO 8601, UTC
        genre IN ('Jazz', 'Pop') AND NOT isHidden
        title LIKE 'Blue%'                          % and _ are wildcards

      The name can also be that of a collection of documents. Its paths are in brackets, as in [address.country] = 'US', \
      and each document is printed as a line of JSON.

      An index of the class is used if it fits. Records come in the order of their row ids, or as --sort says. Records \
      of other versions of the class than the declared fields describe are reported, and the status is 1.

      \(EnvironmentHelp.store)

      Examples:
        todana store query Music.todana Song "seconds > 200" --sort "title, seconds DESC" --limit 10
        todana store query Music.todana Song "genre IS NULL" --count
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The stored name of the class.", completion: ClassNameCompletion.kind) var className: String
  @Argument(help: "The condition; all records without one.") var condition: String?
  @Option(help: ArgumentHelp("Sort by these fields, such as \"title, seconds DESC\".", valueName: "fields"))
  var sort: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Leave out this number of records at the beginning.", valueName: "count")
  ) var offset = 0
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The maximum number of records.", valueName: "count")
  ) var limit: Int?
  @Flag(help: "Print only the number of records.") var count = false
  @OptionGroup var options: ListOptions

  private struct Count: Encodable {
    let recordCount: Int
  }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit needs a number of records, 0 or more.") }
    if offset < 0 { throw ValidationError("--offset needs a number of records, 0 or more.") }
  }

  func run() throws {
    var isSound = true
    try store.withStore { store in
      if try store.hasDocuments(className) { return try findDocuments(in: store) }
      let lines = RecordLines(layout: try store.contentLayout(ofClassNamed: className), isJSON: options.json)
      let policy = DamagePolicy.report { error in
        isSound = false
        printError("\(error)")
      }
      var found = 0
      do {
        try store.findRecords(
          ofClassNamed: className, where: condition, sortedBy: sort, offset: offset, limit: limit, onDamage: policy
        ) { record, _, _ in
          try Interruption.check()
          if !count {
            if found == 0 { try lines.printHeadings() }
            try lines.print(record)
          }
          found += 1
        }
      } catch let error as QueryTextError {
        throw ValidationError("\(error)")
      }
      guard count else {
        if found == 0 { try lines.printHeadings() }
        return
      }
      if options.json { try printJSON(Count(recordCount: found)) } else { try StandardOutput.line("\(found)") }
    }
    if !isSound { throw ExitStatus.somethingWrong }
  }

  /// Prints the documents of a collection, one as JSON on each line.
  private func findDocuments(in store: Store) throws {
    let documents = try store.documents(className)
    try translatingConditions {
      if count {
        let number = try documents.count(condition ?? "TRUE")
        return options.json ? try printJSON(Count(recordCount: number)) : try StandardOutput.line("\(number)")
      }
      var query = try documents.query(condition, orderBy: sort).offset(offset)
      if let limit { query = query.limit(limit) }
      try store.forEach(query) { document, _ in
        try Interruption.check()
        try StandardOutput.line(document.value.json())
      }
    }
  }
}
