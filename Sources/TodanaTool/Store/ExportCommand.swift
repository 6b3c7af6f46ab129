import ArgumentParser
import Todana
import TodanaDocuments

/// The command `todana store export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Write the documents of a collection, or the records of a class, as JSON lines, JSON, CSV or a property list.",
    discussion: """
      Writes to the standard output as JSON lines, or to a file, which gets its name when it is complete. The output of \
      an encrypted store is not encrypted. A condition is that of 'todana store query' for documents. The \
      records of a class need declared contentFields; conditions are on these. Damaged documents are reported and left out, and the status is 1.

      \(EnvironmentHelp.store)

      Examples:
        todana store export Music.todana users > users.jsonl
        todana store export Music.todana users "[age] > 20" --to users.csv
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The name of the collection, or the stored name of a class with fields.") var name: String
  @Argument(help: "The condition; all documents without one.") var condition: String?
  @Option(help: "The file; the standard output without one.", completion: .file()) var to: String?
  @OptionGroup(title: "Format") var format: RowFormatOptions
  @Option(help: ArgumentHelp("Sort by these paths, such as \"[name], [age] DESC\".", valueName: "paths"))
  var sort: String?
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false

  func run() throws {
    let rowFormat = to == nil && format.format == nil ? .jsonLines() : try format.rowFormat(for: to)
    var isSound = true
    var line = ProgressLine(isShown: !quiet)
    defer { line.clear() }
    let policy = DamagePolicy.report { error in
      isSound = false
      printError("\(error)")
    }
    let options = ExportOptions(where: condition, orderBy: sort, onDamage: policy) { count in
      try Interruption.check()
      line.show("exporting: \(counted(count, "document"))")
    }
    try store.withStore { store in
      if try !store.hasDocuments(name) {
        return try translatingConditions { try exportRecords(of: store, rowFormat, options) }
      }
      let documents = try store.documents(name)
      try translatingConditions {
        if let to {
          try documents.exportRows(to: to, as: rowFormat, options: options)
        } else {
          try documents.exportRows(as: rowFormat, options: options) { try StandardOutput.write($0) }
        }
      }
    }
    if !isSound { throw ExitStatus.somethingWrong }
  }

  private func exportRecords(of store: Store, _ rowFormat: RowFormat, _ options: ExportOptions) throws {
    if let to {
      try store.exportRecords(ofClassNamed: name, to: to, as: rowFormat, options: options)
    } else {
      try store.exportRecords(ofClassNamed: name, as: rowFormat, options: options) { try StandardOutput.write($0) }
    }
  }
}

/// Calls a closure, and throws an error of wrong usage if a condition is wrong.
@discardableResult func translatingConditions<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as QueryTextError {
    throw ValidationError("\(error)")
  }
}

extension Store {
  /// Whether there is a collection of documents with a name.
  func hasDocuments(_ name: String) throws -> Bool {
    try documentCollectionNames().contains { $0.utf8.elementsEqual(name.utf8) }
  }

  /// Returns a collection of documents.
  ///
  /// - Throws: ``OutputError`` if it does not exist.
  func existingDocuments(_ name: String) throws -> DocumentCollection {
    guard try hasDocuments(name) else {
      throw OutputError(description: "The store has no collection of documents \(printable(name)).")
    }
    return try documents(name)
  }
}
