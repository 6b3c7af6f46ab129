import ArgumentParser
import Todana
import TodanaArchive

struct ArchiveInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create an archive.",
    usage: "todana archive init [<options>] <archive>",
    discussion: """
      The archive is encrypted with AES-128, unless --aes256 or --plain is passed. A lost passphrase cannot be \
      recovered. The options without --new- and TODANA_PASSPHRASE also give the new passphrase or key.

      \(EnvironmentHelp.newArchive)

      Examples:
        todana archive init /backup/Files.todana
        todana archive init /backup/Files.todana --new-passphrase-file secret.txt
      """,
    aliases: ["create"])

  @Argument(help: "The archive's directory, which must not exist or must be empty.", completion: .directory)
  var archive: String?
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @OptionGroup(title: "The same without new-") var secret: SecretOptions
  @Flag(help: "Do not encrypt: everyone who can read the directory can read the archived files.") var plain = false
  @Flag(help: "Encrypt with AES-256.") var aes256 = false
  @Option(
    help: ArgumentHelp("Compress by zstd:1 to zstd:19, zlib:1 to zlib:9, or none.", valueName: "method"),
    completion: NewSnapshotArguments.compressionMethods)
  var compression = "zstd:3"
  @Option(
    help: ArgumentHelp(
      "Average size of the chunks into which large files are split, a power of two from 256 to 1M. Smaller chunks find "
        + "more duplicates, but take more space and time.", valueName: "size"))
  var chunkSize = "1M"
  @Flag(name: [.customShort("p"), .long], help: "Create missing parent directories, too.")
  var parents = false
  @Flag(help: "Print the report as one JSON object.") var json = false

  func run() throws {
    let path = try ArchiveOptions.archive(archive)
    try TypedArguments.checkPath(path)
    // Check the path before asking for a passphrase.
    do {
      try Archive.checkPlace(path, makesParents: parents, allowsLeftover: true)
    } catch {
      guard error.code == .noDirectory else { throw error }
      throw ArchiveError(.noDirectory, error.message + " Mount its disk, or pass --parents to create it.")
    }
    var settings = Archive.Settings()
    do {
      settings.compression = try Compression(compression)
      settings.chunkSizes = try Chunker.Sizes(around: ByteSize(chunkSize).byteCount)
    } catch {
      throw ValidationError("\(error)")
    }
    var configuration = StoreConfiguration()
    configuration.programName = "todana"
    if aes256 { configuration.cipher = .aes256 }
    if plain {
      guard !newSecret.isPresent, !secret.isPresent else {
        throw ValidationError("--plain and a passphrase or key cannot be used together.")
      }
    } else {
      let secret = try newSecret.secret(for: path, or: secret)
      configuration.encryption = .callback { secret }
    }
    let made = try Archive.make(at: path, settings: settings, configuration: configuration, makesParents: parents)
    let identity = "\(made.store.backend.storeID)"
    try made.close()
    if json { return try printJSON(Report(path: path, identity: identity, isEncrypted: !plain)) }
    try StandardOutput.line("Created the archive \(printable(path))\(plain ? ", not encrypted" : "").")
  }

  private struct Report: Encodable {
    let path: String
    let identity: String
    let isEncrypted: Bool
  }
}
