import ArgumentParser
import Todana

/// The command `todana store index`.
struct IndexTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "List or rebuild the indexes of a store.",
    discussion: """
      \(EnvironmentHelp.store)

      Examples:
        todana store index list Music.todana
      """,
    version: TodanaTool.configuration.version,
    subcommands: [IndexListCommand.self, IndexRebuildCommand.self])
}

/// The command `todana store index list`.
struct IndexListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the indexes of a store.",
    discussion: """
      \(EnvironmentHelp.store)

      Examples:
        todana store index list Music.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ListOptions

  func run() throws {
    let entries = try store.withStore { try $0.storedIndexes.map(IndexEntry.init) }
    if options.json {
      for entry in entries { try printJSON(entry) }
    } else {
      try indexTable(entries).print()
    }
    if entries.contains(where: \.isDamaged) { throw ExitStatus.somethingWrong }
  }
}

/// The command `todana store index rebuild`.
struct IndexRebuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Empty indexes, so that the program builds them again.",
    discussion: """
      Use this for damaged indexes. Only a program with the class can compute the entries of an index: it builds the \
      emptied indexes when it next opens the store. Until then, queries read all objects of the class.

      \(EnvironmentHelp.store)

      Examples:
        todana store index rebuild Music.todana Song title
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The stored name of the class.", completion: ClassNameCompletion.kind) var className: String
  @Argument(help: "The name of the index; by default, all indexes of the class.") var index: String?
  @OptionGroup var options: ListOptions

  private struct Emptied: Encodable {
    let `class`: String
    let index: String
  }

  func run() throws {
    let names = try store.withStore(.writeExisting) { store in
      let names =
        try index.map { [$0] } ?? Set(store.storedIndexes.filter { $0.className == className }.map(\.name)).sorted()
      try checkOrder(store)
      for name in names { try store.emptyStoredIndex(named: name, ofClassNamed: className) }
      return names
    }
    guard !names.isEmpty else {
      printError("Class \(printable(className)) has no indexes.")
      throw ExitStatus.failed
    }
    for name in names {
      if options.json {
        try printJSON(Emptied(class: className, index: name))
        continue
      }
      try StandardOutput.line(printable("Emptied \(name): the program builds it when it next opens the store."))
    }
  }
}

extension IndexRebuildCommand {
  /// Throws if the class and the index were given in the wrong order.
  private func checkOrder(_ store: Store) throws {
    guard let index else { return }
    let stored = try store.storedIndexes
    guard stored.contains(where: { $0.className == index && $0.name == className }),
      !stored.contains(where: { $0.className == className && $0.name == index })
    else { return }
    throw ValidationError(
      "\(printable(index)) is a class with an index \(printable(className)): pass the class before the index.")
  }
}

/// The JSON report of an index.
struct IndexEntry: Encodable {
  let `class`: String
  let index: String
  let isTextIndex: Bool
  let isUnique: Bool
  let isComplete: Bool
  let isDamaged: Bool
  let entryCount: Int
  let pendingCount: Int
  let skippedRowCount: Int
  let definition: [String]

  init(_ index: StoredIndex) {
    `class` = index.className
    self.index = index.name
    isTextIndex = index.isTextIndex
    isUnique = index.isUnique
    isComplete = index.isComplete
    isDamaged = index.isDamaged
    entryCount = index.entryCount
    pendingCount = index.pendingCount
    skippedRowCount = index.skippedRowCount
    definition = index.definition
  }

  fileprivate var state: String {
    if isDamaged { return "damaged" }
    if isTextIndex { return "text index" + (pendingCount == 0 ? "" : ", \(formattedCount(pendingCount)) pending") }
    let skipped = skippedRowCount == 0 ? "" : ", without \(formattedCount(skippedRowCount)) unreadable"
    return (isComplete ? "complete" : "to be built") + skipped + (isUnique ? ", unique" : "")
  }
}

/// Returns the indexes as a table for people.
func indexTable(_ entries: [IndexEntry]) -> TextTable {
  var table = TextTable(.longText("Index"), .longText("class"), .number("entries"), .text("state"))
  for entry in entries { table.append(entry.index, entry.class, formattedCount(entry.entryCount), entry.state) }
  return table
}
