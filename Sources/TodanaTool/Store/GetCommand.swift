import ArgumentParser
import Foundation
import Todana

/// `todana store get`.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Shows one record.",
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The class, by its stored name.") var className: String
  @Argument(help: "The row id.") var row: RowID
  @OptionGroup var options: ContentOptions

  private struct Entry: Encodable {
    let `class`: String
    let row: RowID
    let version: UInt8
    let byteCount: Int
    let content: Data
  }

  func run() throws {
    let record = try store.withStore { try $0.rawRecord(ofClassNamed: className, rowID: row) }
    guard let record else {
      report("The class has no row \(row).")
      throw ExitStatus.failed
    }
    try options.show(
      record.content,
      title: "\(className), row \(row), version \(record.version), \(counted(record.content.count, "byte"))",
      Entry(
        class: className, row: row, version: record.version, byteCount: record.content.count,
        content: Data(record.content)))
  }
}

/// How bytes are shown.
struct ContentOptions: ParsableArguments {
  @Flag(help: "For programs: one JSON document, the bytes in Base64.") var json = false
  @Flag(help: "Nothing but the bytes.") var raw = false

  func validate() throws {
    if json, raw { throw ValidationError("--json and --raw exclude each other.") }
  }

  func show(_ content: [UInt8], title: String, _ document: some Encodable) throws {
    if raw { return try StandardOutput.write(content) }
    if json { return try printJSON(document) }
    try StandardOutput.line(printable(title))
    for line in hexDump(content) { try StandardOutput.line(line) }
  }
}
