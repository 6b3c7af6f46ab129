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

      Examples:
        todana store dump Music.todana > music.jsonl
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Flag(help: "Show no progress, and no message about waiting.") var quiet = false

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
    abstract: "Create a store from a dump, or import documents.",
    discussion: """
      With --into, imports the rows of a file into a collection of documents of an existing store: JSON lines, a JSON \
      array, CSV or a property list. Rows are saved in batches. After an interruption or an error, --resume continues \
      without losing or repeating a row; all rows before the error are saved.

      Without --into, creates a store from a dump. The new store has the same records, row ids, versions, class numbers and named buffers, but another identity. \
      Programs build their indexes when they open it. If the command fails, no store is created.

      An option for a new passphrase or key encrypts the new store. With --encrypt, the passphrase can also come from \
      an environment variable, or the command asks for it on the terminal. The options without --new- and \
      TODANA_PASSPHRASE have the same meaning.

      \(EnvironmentHelp.newStore)

      Examples:
        todana store import Copy.todana music.jsonl
        todana store dump Music.todana | todana store import Copy.todana --encrypt
        todana store import Music.todana users.csv --into users
        todana store import Music.todana users.jsonl --into users --skip-errors --resume
      """,
    version: TodanaTool.configuration.version)

  @Argument(
    help: "The new store's directory, which must not exist; with --into, the existing store.", completion: .directory)
  var newStore: String
  @Argument(help: "The file; - is the standard input.", completion: .file()) var dump = "-"
  @Option(
    help: ArgumentHelp(
      "Import documents into this collection, which is made if it does not exist.",
      valueName: "name"))
  var into: String?
  @OptionGroup(title: "Documents (with --into)") var format: RowFormatOptions
  @Flag(help: "Continue an unfinished import of the same file.") var resume = false
  @Flag(help: "Report rows that cannot be imported, and import the others; the status is 1.") var skipErrors = false
  @Option(help: ArgumentHelp("The number of rows in a commit.", valueName: "count")) var batch = 10_000
  @OptionGroup var waiting: WaitOptions
  @Flag(help: "Encrypt the new store.") var encrypt = false
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @OptionGroup(title: "The same without new-") var secret: SecretOptions
  @OptionGroup var options: ReportOptions

  private struct Report: Encodable {
    let recordCount: Int
    let namedBufferCount: Int
  }

  func validate() throws {
    if batch < 1 { throw ValidationError("--batch needs a number of rows, 1 or more.") }
    if into == nil, resume || skipErrors || waiting.wait != nil || format.format != nil {
      throw ValidationError("--format, --resume, --skip-errors and --wait need --into, with the name of a collection.")
    }
    if into != nil, encrypt { throw ValidationError("--encrypt is for new stores, and not for --into.") }
  }

  func run() throws {
    try TypedArguments.checkPath(newStore)
    if let into {
      let rowFormat = try format.rowFormat(for: dump == "-" ? nil : dump)
      return try DocumentImport(
        store: newStore, file: dump, collection: into, format: rowFormat, batch: batch, resume: resume,
        skipErrors: skipErrors, options: options
      ).run(secret, waiting)
    }
    try StandardInput.check(
      [dump == "-" ? "the dump" : nil, newSecret.standardInputUse(or: secret, readsEnvironment: encrypt)])
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    // Read the first lines before asking for a passphrase: the program that writes the dump may be asking for one, too.
    var lines = try LineReader(dump)
    if try lines.isEmpty() { throw OutputError(description: "\(dumpName) is empty, so it is not a dump.") }
    var configuration = StoreConfiguration()
    if let secret = try encrypt ? newSecret.secret(for: newStore, or: secret) : newSecret.given(or: secret) {
      configuration.encryption = .callback { secret }
    }
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
  private var dumpName: String { dump == "-" ? "The standard input" : printable(dump) }
}
