import ArgumentParser
import Todana

/// The command `todana store dump`.
struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Writes all that a store has to the standard output, as lines of JSON.",
    discussion: """
      For other tools, for comparing stores, and for `todana store import`, which makes a store of it again. What is \
      encrypted in the store is plain in the dump.
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Flag(help: "JSON lines, which a dump always has.") var json = false
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
    abstract: "Makes a new store of a dump.",
    discussion: """
      It has the same records, row ids, versions, class numbers and named buffers, and another identity. Programs build \
      their indexes when they open it. It is there wholly, or not at all.
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "Where the new store is made; nothing may be there.", completion: .directory) var newStore: String
  @Argument(help: "The file of the dump; without it, or with -, the standard input.", completion: .file()) var dump =
    "-"
  @Flag(help: "Encrypt the new store; a passphrase is asked for if no option says.") var encrypt = false
  @OptionGroup(title: "Passphrase or key of the new store, which encrypt it") var secret: SecretOptions
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
        "\(counted(counts.recordCount, "record")) and \(counted(counts.namedBufferCount, "named buffer")) imported")
    }
  }
}
