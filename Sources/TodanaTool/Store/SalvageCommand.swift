import ArgumentParser
import Todana

/// The command `todana store salvage`.
struct SalvageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Copy all readable records of a damaged store to a new store.",
    discussion: """
      The damaged store is not changed. If there is an undamaged backup, restore it instead. The new store has the \
      same encryption, with the passphrase or key that opened the old one. Indexes are not copied: programs build them \
      when they open the new store.

      \(EnvironmentHelp.store)

      Examples:
        todana store salvage Music.todana Rescued.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The new store's directory, which must not exist.", completion: .directory) var newStore: String
  @OptionGroup var options: ReportOptions

  func run() throws {
    try TypedArguments.checkPath(newStore)
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let encryption = try store.encryption()
    let report = try store.waiting.waiting(for: store.store).whileInUse {
      try Store.salvage(from: store.store, to: newStore, encryption: encryption) {
        line.show("salvaging", $0.doneByteCount, $0.byteCount)
        try Interruption.check()
      }
    }
    line.clear()
    if options.json { try printJSON(SalvageOutput(report)) } else { try show(report) }
    if !report.isComplete { throw ExitStatus.somethingWrong }
  }

  private func show(_ report: SalvageReport) throws {
    for loss in report.losses { try StandardOutput.line(printableMessage(loss)) }
    for keyspace in report.keyspaces {
      try StandardOutput.line(
        "\(printable(keyspace.shownName)): \(counted(keyspace.savedCount, "record")) saved" + losses(of: keyspace))
    }
    if !report.indexesToBuild.isEmpty {
      let names = report.indexesToBuild.map(printable).joined(separator: "; ")
      try StandardOutput.line("Indexes to be built when a program opens the new store: \(names).")
    }
    if report.isComplete {
      try StandardOutput.line("Nothing was lost.")
    } else if report.lostCount > 0 {
      try StandardOutput.line("Known to be lost: \(counted(report.lostCount, "record")).")
    } else {
      try StandardOutput.line("Records may have been lost; their number is unknown.")
    }
  }

  private func losses(of keyspace: SalvageReport.Keyspace) -> String {
    var parts: [String] = []
    if keyspace.lostCount > 0 { parts.append("\(keyspace.lostCount) lost") }
    if !keyspace.lostRowIDs.isEmpty {
      let rows = keyspace.lostRowIDs.prefix(10).map { "\($0)" }.joined(separator: ", ")
      parts.append("possibly lost rows: \(rows)" + (keyspace.lostRowIDs.count > 10 ? ", …" : ""))
    }
    if keyspace.unreadableByteCount > 0 {
      parts.append("no record found in \(counted(keyspace.unreadableByteCount, "byte"))")
    }
    if !keyspace.isNameKnown { parts.append("name taken from the file") }
    if keyspace.savedCount > 0, !keyspace.isNumberKept {
      parts.append("class number changed, so references to it are broken")
    }
    return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ")
  }
}
