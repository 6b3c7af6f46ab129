import ArgumentParser
import Todana

/// The command `todana store dump`.
struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Write the content of a store to the standard output, as lines of JSON.",
    discussion: """
      Use a dump for other tools, to compare stores, or to create a store with 'todana store import'. The dump of an \
      encrypted store is not encrypted.

      \(EnvironmentHelp.store)
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Flag(help: "No effect: a dump is always JSON.") var json = false
  @Flag(help: "Show no progress.") var quiet = false

  func run() throws {
    var line = ProgressLine(isShown: !quiet)
    defer { line.clear() }
    try store.withStore { store in
      let total = try store.catalog.reduce(0) { $0 + ($1.recordCount ?? 0) }
      var count = 0
      try store.writeDump { bytes in
        try Interruption.check()
        try StandardOutput.write(bytes + [UInt8(ascii: "\n")])
        count += 1
        line.show("dumping", min(count, total), total)
      }
    }
  }
}

/// The command `todana store import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Create a store from a dump.",
    discussion: """
      The new store has the same records, row ids, versions, class numbers and named buffers, but another identity. \
      Programs build their indexes when they open it. If the command fails, no store is created.

      An option for a passphrase or key encrypts the new store. With --encrypt, the passphrase can also come from an \
      environment variable, or the command asks for it on the terminal.

      \(EnvironmentHelp.store)
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The new store's directory, which must not exist.", completion: .directory) var newStore: String
  @Argument(help: "The file of the dump; - is the standard input.", completion: .file()) var dump = "-"
  @Flag(help: "Encrypt the new store.") var encrypt = false
  @OptionGroup(title: "Passphrase or key of the new store") var secret: SecretOptions
  @OptionGroup var options: ReportOptions

  private struct Report: Encodable {
    let recordCount: Int
    let namedBufferCount: Int
  }

  func run() throws {
    try StandardInput.check([dump == "-" ? "the dump" : nil, secret.standardInputUse(readsEnvironment: encrypt)])
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    var configuration = StoreConfiguration()
    if let secret = try encrypt ? secret.new(for: newStore) : secret.given() {
      configuration.encryption = .callback { secret }
    }
    var lines = try LineReader(dump)
    var count = 0
    let counts = try Store.make(at: newStore, configuration: configuration) {
      try Interruption.check()
      count += 1
      if count.isMultiple(of: 1000) { line.show("importing: \(counted(count, "line"))") }
      return try lines.next()
    }
    line.clear()
    if options.json {
      try printJSON(Report(recordCount: counts.recordCount, namedBufferCount: counts.namedBufferCount))
    } else {
      try StandardOutput.line(
        "Imported \(counted(counts.recordCount, "record")) and "
          + "\(counted(counts.namedBufferCount, "named buffer")).")
    }
  }
}
