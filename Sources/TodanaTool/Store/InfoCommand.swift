import ArgumentParser
import Todana

/// The command `todana store info`.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show the identity, format, classes and sizes of a store.",
    discussion: """
      Changes nothing. If a part of the store is damaged, prints everything else, and the exit status is 1. Reads the \
      headers of all records, to measure the unused space in the files.

      \(EnvironmentHelp.store)

      Examples:
        todana store info Music.todana
        todana store info Music.todana --json | jq .recordCount
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ReportOptions

  func run() throws {
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let info = try store.withStore { opened in
      line.show("reading all records")
      return try StoreInfo(of: opened, at: store.store)
    }
    line.clear()
    if options.json { try printJSON(info) } else { try show(info) }
    if info.damage != nil { throw ExitStatus.somethingWrong }
  }

  private func show(_ info: StoreInfo) throws {
    func line(_ title: String, _ value: String) throws {
      let padding = String(repeating: " ", count: max(1, 15 - title.count))
      try StandardOutput.line(title + padding + printableMessage(value))
    }
    try line("Store", printable(store.store))
    try line("Identity", info.identity)
    try line("Format", "\(info.format)")
    try line("Opened", info.opened)
    try line("Anchor", info.anchor ?? "none")
    try line("Encryption", info.encryptionText)
    let buffers = info.namedBufferCount.map { counted($0, "named buffer") } ?? "damaged named buffers"
    try line("Records", "\(formattedCount(info.recordCount)), and \(buffers)")
    if let damage = info.damage {
      try line("Damage", damage)
    } else {
      try line(
        "Files",
        "\(formattedSize(info.fileByteCount)), of which compacting frees \(formattedPercentage(info.fragmentation))"
      )
    }
    try showClasses(info)
    try showIndexes(info)
  }

  private func showClasses(_ info: StoreInfo) throws {
    guard !info.classes.isEmpty else { return }
    try StandardOutput.line("")
    var table = TextTable(
      .text("Class"), .number("number"), .number("records"), .number("file"), .number("unused"))
    for entry in info.classes {
      table.append(
        entry.class, "\(entry.number)", entry.recordCount.map(formattedCount) ?? "damaged",
        entry.fileByteCount.map(formattedSize) ?? "–", entry.fragmentation.map(formattedPercentage) ?? "–")
    }
    try table.print()
  }

  private func showIndexes(_ info: StoreInfo) throws {
    guard !info.indexes.isEmpty else { return }
    try StandardOutput.line("")
    try indexTable(info.indexes).print()
  }
}
