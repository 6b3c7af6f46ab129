import ArgumentParser
import Foundation
import Todana

/// The command `todana store get`.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Show one record.",
    discussion: """
      Shows the fields of the record if its class declares contentFields; otherwise, or with --bytes, its bytes.

      \(EnvironmentHelp.store)

      Examples:
        todana store get Music.todana Song 512
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The stored name of the class.", completion: ClassNameCompletion.kind) var className: String
  @Argument(help: "The row id.") var row: RowID
  @Flag(help: "Show the bytes even if the fields are known.") var bytes = false
  @OptionGroup var options: ContentOptions

  private struct Entry: Encodable {
    let `class`: String
    let row: RowID
    let version: UInt8
    let byteCount: Int
    let content: Data
    let fields: RecordFields?
  }

  func run() throws {
    let (record, layout) = try store.withStore { store in
      (try store.rawRecord(ofClassNamed: className, rowID: row), try store.contentLayout(ofClassNamed: className))
    }
    guard let record else {
      printError("Class \(printable(className)) has no row \(row).")
      throw ExitStatus.failed
    }
    let fields = bytes ? nil : RecordFields(of: record, layout)
    try options.show(
      record.content, fields,
      title: "\(className), row \(row), version \(record.version), \(counted(record.content.count, "byte"))",
      Entry(
        class: className, row: row, version: record.version, byteCount: record.content.count,
        content: Data(record.content), fields: fields))
  }
}

/// The options for the form in which bytes are shown.
struct ContentOptions: ParsableArguments {
  @Flag(help: "Print one JSON object, with the bytes in Base64.") var json = false
  @Flag(help: "Write only the bytes, unchanged.") var raw = false

  func validate() throws {
    if json, raw { throw ValidationError("--json and --raw cannot be used together.") }
  }

  func show(_ content: [UInt8], _ fields: RecordFields?, title: String, _ document: some Encodable) throws {
    if raw { return try StandardOutput.write(content) }
    if json { return try printJSON(document) }
    try StandardOutput.line(printable(title))
    for line in fields?.lines ?? hexDump(content) { try StandardOutput.line(line) }
  }
}
