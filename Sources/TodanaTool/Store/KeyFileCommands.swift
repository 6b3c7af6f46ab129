import ArgumentParser
import Foundation
import Todana

/// The command `todana store key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Renew all keys of an encrypted store, and encrypt all data again.",
    discussion: """
      Use this if an attacker may have a passphrase and a copy of the file of keys: changing the passphrase alone does \
      not protect the store then.

      Afterwards only one passphrase or key opens the store: the new one if one is given, or else the one that opened \
      it for this command. All others are removed, including recovery keys; add new ones afterwards.

      \(EnvironmentHelp.keyAndNewPassphrase)
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @OptionGroup var options: MigrationOptions

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), newSecret.standardInputUse()])
    let current = try store.secret.required(for: store.store, toOpen: "the store")
    let kept = try newSecret.given() ?? current
    try options.run(store, secret: options.resume ? kept : current) { store, progress in
      let rotation = try store.keys.rotate(keeping: [kept], progress: progress)
      if !rotation.removedSlots.isEmpty {
        let removed = counted(rotation.removedSlots.count, "other passphrase or key", "other passphrases or keys")
        try StandardOutput.line("Removed \(removed).")
      }
      return rotation.isFinished
    }
  }
}

/// The command `todana store key export`.
struct KeyExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a copy of the store's file of keys.",
    discussion: """
      The copy opens with the present passphrases and keys, even after they were changed in the store. Export again \
      after 'todana store key rotate'.

      \(EnvironmentHelp.key)
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
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The exported copy.", completion: .file()) var file: String

  /// The maximum size of a file of keys; a larger file is something else.
  private static let byteLimit = 64 << 20

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), file == "-" ? "the file of keys" : nil])
    let keys: [UInt8]
    do {
      keys = try InputDescriptor.content(of: file, byteLimit: Self.byteLimit)
    } catch let error as InputError {
      throw OutputError(description: error.description)
    }
    let secret = try store.secret.required(for: file, toOpen: "the exported copy")
    try store.waiting.waiting(for: store.store).whileInUse {
      try Store.importKeys(keys, at: store.store, encryption: .callback { secret })
    }
  }
}
