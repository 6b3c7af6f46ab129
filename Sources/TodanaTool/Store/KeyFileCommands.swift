import ArgumentParser
import Foundation
import Todana

/// The command `todana store key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Renews all keys of an encrypted store, and encrypts everything anew.",
    discussion: """
      For when somebody may have a passphrase and a copy of the file of keys: changing the passphrase alone does not shut \
      them out. What opens the store now, or the new passphrase or key if one is given, goes on to open it; all others \
      are removed.
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "What opens the store from now on") var newSecret: NewSecretOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), newSecret.standardInputUse()])
    let current = try store.secret.required(for: store.store, toOpen: "the store")
    let kept = try newSecret.given() ?? current
    try options.run(store, secret: options.resume ? kept : current) { store, progress in
      let rotation = try store.keys.rotate(keeping: [kept], progress: progress)
      if !rotation.removedSlots.isEmpty {
        let removed = counted(rotation.removedSlots.count, "other passphrase or key", "other passphrases or keys")
        try StandardOutput.line("\(removed) removed")
      }
      return rotation.isFinished
    }
  }
}

/// The command `todana store key export`.
struct KeyExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the store's file of keys to a file, to be kept elsewhere.",
    discussion: "It opens with the passphrases and keys that the store has now, also after they were changed.",
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The file; nothing may be there. With -, the standard output.", completion: .file()) var file: String

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
    abstract: "Puts an exported file of keys in the place of a store's own, which is damaged or lost.",
    discussion: "The passphrase or key is one that opens the exported file.",
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The exported file.", completion: .file()) var file: String

  /// The maximum size of a file of keys, more than any has.
  private static let byteLimit = 64 << 20

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), file == "-" ? "the file of keys" : nil])
    let keys: [UInt8]
    do {
      keys = try InputDescriptor.content(of: file, byteLimit: Self.byteLimit)
    } catch let error as InputError {
      throw OutputError(description: error.description)
    }
    let secret = try store.secret.required(for: file, toOpen: "the exported file")
    try store.waiting.waiting(for: store.store).whileInUse {
      try Store.importKeys(keys, at: store.store, encryption: .callback { secret })
    }
  }
}
