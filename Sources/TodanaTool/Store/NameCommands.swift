import ArgumentParser
import Foundation
import Todana

/// The command `todana store names`.
struct NamesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "names",
    abstract: "List the named buffers of a store.",
    discussion: """
      \(EnvironmentHelp.store)

      Examples:
        todana store names Music.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ListOptions

  private struct Entry: Encodable {
    let name: String
    let version: UInt8
    let byteCount: Int
  }

  func run() throws {
    var table = TextTable(.longText("Name"), .number("version"), .number("bytes"))
    try store.withStore { store in
      try store.rawNamedBuffers { buffer, _ in
        try Interruption.check()
        let entry = Entry(name: buffer.name, version: buffer.version, byteCount: buffer.content.count)
        if options.json {
          try printJSON(entry)
        } else {
          table.append(entry.name, "\(entry.version)", formattedCount(entry.byteCount))
        }
      }
    }
    if !options.json { try table.print() }
  }
}

/// The command `todana store name`.
struct NameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "name",
    abstract: "Show a named buffer.",
    discussion: """
      \(EnvironmentHelp.store)

      Examples:
        todana store name Music.todana favourites --raw > favourites.bin
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The name of the buffer.") var name: String
  @OptionGroup var options: ContentOptions

  private struct Entry: Encodable {
    let name: String
    let version: UInt8
    let byteCount: Int
    let content: Data
  }

  func run() throws {
    let buffer = try store.withStore { try $0.rawNamedBuffer(name) }
    guard let buffer else {
      printError("There is no named buffer “\(printable(name))”.")
      throw ExitStatus.failed
    }
    try options.show(
      buffer.content, nil, title: "\(name), version \(buffer.version), \(counted(buffer.content.count, "byte"))",
      Entry(name: name, version: buffer.version, byteCount: buffer.content.count, content: Data(buffer.content)))
  }
}
