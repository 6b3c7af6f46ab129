import ArgumentParser
import Foundation
import Todana

/// The command `todana store key export`.
struct KeyExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a copy of the store's file of keys.",
    discussion: """
      The copy opens with the present passphrases and keys, even after they were changed in the store. Export again \
      after 'todana store key rotate'.

      \(EnvironmentHelp.key)

      Examples:
        todana store key export Music.todana Music.keys
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The new file, which must not exist; - is the standard output.", completion: .file()) var file: String

  func run() throws {
    let keys = try store.withStore { try $0.keys.export() }
    if file == "-" { return try StandardOutput.write(keys) }
    try writeNewFile(file, keys)
  }
}

/// The command `todana store key import`.
struct KeyImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Replace a store's damaged or lost file of keys by an exported copy.",
    discussion: """
      The passphrase or key must be one that opens the exported copy.

      \(EnvironmentHelp.key)

      Examples:
        todana store key import Music.todana Music.keys
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The exported copy.", completion: .file()) var file: String

  /// The maximum size of a file of keys; a larger file is something else.
  private static let byteLimit = 64 << 20
  /// The first bytes of each file of keys.
  private static let beginning = Array("TDNKEYS\n".utf8)

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), file == "-" ? "the file of keys" : nil])
    let keys = try InputDescriptor.content(of: file, byteLimit: Self.byteLimit)
    guard keys.starts(with: Self.beginning) else {
      throw CannotOpen(
        "\(printable(file)) is not a file of keys, or its beginning is damaged: pass a file that 'todana store key "
          + "export' has written.")
    }
    let secret = try store.secret.required(for: file, toOpen: "the exported copy")
    try store.waiting.waiting(for: store.store).whileInUse {
      try Store.importKeys(keys, at: store.store, encryption: .callback { secret })
    }
  }
}
