import ArgumentParser
import Todana
import TodanaDocuments

/// The command `todana store insert`.
struct InsertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Insert documents into a collection.",
    discussion: """
      The document is a JSON object. With -, each line of the standard input is one; all of them are inserted, or none.

      \(EnvironmentHelp.store)

      Examples:
        todana store insert Music.todana users '{"name": "Doe", "age": 41}'
        todana store insert Music.todana users - < users.jsonl
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The name of the collection, which is made if it does not exist.") var name: String
  @Argument(help: "The document as JSON; - reads lines of the standard input.") var document: String

  func run() throws {
    let values = try document == "-" ? linesOfInput() : [try jsonArgument(document)]
    try store.withStore(.writeExisting) { store in
      try store.documents(name).insert(contentsOf: values)
      try store.saveChanges()
    }
    try StandardOutput.line("Inserted \(counted(values.count, "document")).")
  }

  private func linesOfInput() throws -> [DocumentValue] {
    var reader = try LineReader("-")
    var values: [DocumentValue] = []
    var number = 0
    while let line = try reader.next() {
      number += 1
      let text = String(decoding: line, as: UTF8.self)
      if text.allSatisfy(\.isWhitespace) { continue }
      do {
        values.append(try DocumentValue(json: text))
      } catch {
        throw OutputError(description: "The standard input, line \(number): \(error).")
      }
    }
    return values
  }
}

/// Returns the value of a JSON text of the command line.
func jsonArgument(_ text: String) throws -> DocumentValue {
  do {
    return try DocumentValue(json: text)
  } catch {
    throw ValidationError("“\(printable(text))” is no JSON: \(error)")
  }
}

/// The command `todana store update`.
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change the documents of a collection that meet a condition.",
    discussion: """
      All changes are saved in one commit. With --count, prints the number of documents, and changes nothing.

      \(EnvironmentHelp.store)

      Examples:
        todana store update Music.todana users "[age] > 64" --set 'isRetired=true' --set 'address.country="US"'
        todana store update Music.todana users "[age] > 64" --set 'isRetired=true' --count
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The name of the collection.") var name: String
  @Argument(help: "The condition; TRUE for all documents.") var condition: String
  @Option(name: .customLong("set"), help: ArgumentHelp("A path and its new value.", valueName: "path=JSON"))
  var assignments: [String]
  @Flag(help: "Print only the number of documents that would be changed.") var count = false

  func run() throws {
    if assignments.isEmpty { throw ValidationError("--set is missing.") }
    let changes = try assignments.map { text in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw ValidationError("--set needs a path, = and JSON: 'address.country=\"US\"'.")
      }
      return (path: String(text[..<equals]), value: try jsonArgument(String(text[text.index(after: equals)...])))
    }
    let number = try store.withStore(count ? .read : .writeExisting) { store in
      let documents = try store.existingDocuments(name)
      return try translatingConditions {
        if count { return try documents.count(condition) }
        let number = try documents.update(where: condition) { value in
          for change in changes { try value.set(change.value, at: DocumentPath(change.path)) }
        }
        try store.saveChanges()
        return number
      }
    }
    try StandardOutput.line(count ? "\(number)" : "Changed \(counted(number, "document")).")
  }
}

/// The command `todana store delete`.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete the documents of a collection that meet a condition.",
    discussion: """
      All of them are deleted in one commit. With --count, prints their number, and deletes nothing.

      \(EnvironmentHelp.store)

      Examples:
        todana store delete Music.todana users "[age] < 3" --count
        todana store delete Music.todana users "[age] < 3"
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The name of the collection.") var name: String
  @Argument(help: "The condition; TRUE for all documents.") var condition: String
  @Flag(help: "Print only the number of documents that would be deleted.") var count = false

  func run() throws {
    let number = try store.withStore(count ? .read : .writeExisting) { store in
      let documents = try store.existingDocuments(name)
      return try translatingConditions {
        if count { return try documents.count(condition) }
        let number = try documents.delete(where: condition)
        try store.saveChanges()
        return number
      }
    }
    try StandardOutput.line(count ? "\(number)" : "Deleted \(counted(number, "document")).")
  }
}
