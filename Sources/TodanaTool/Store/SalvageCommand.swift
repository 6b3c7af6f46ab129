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

      The names of the classes are in the catalog of the store, and in a plain store also in the names of the files. A       class of an encrypted store whose entry of the catalog is lost is named after its number, unless --class gives       its name.

      \(EnvironmentHelp.store)

      Examples:
        todana store salvage Music.todana Rescued.todana
        todana store salvage --class 1=Song --class 2=Album Music.todana Rescued.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The new store's directory, which must not exist.", completion: .directory) var newStore: String
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "The stored name of a class whose name is lost. Repeat it for several classes.", valueName: "NUMBER=NAME"),
    transform: GivenName.init)
  var givenNames: [GivenName] = []
  @OptionGroup var options: ReportOptions

  /// The name of a class by its number.
  struct GivenName {
    let number: Int
    let name: String

    init(_ argument: String) throws {
      let parts = argument.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[0]), number > 0 else {
        throw ValidationError("A name of a class is given as NUMBER=NAME, such as 3=Song.")
      }
      (self.number, name) = (number, String(parts[1]))
    }
  }

  func run() throws {
    try TypedArguments.checkPath(newStore)
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    let encryption = try store.encryption()
    let names = Dictionary(givenNames.map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
    let report = try store.waiting.waiting(for: store.store).whileInUse(target: newStore) {
      try Store.salvage(from: store.store, to: newStore, encryption: encryption, naming: names) {
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
