import ArgumentParser
import Foundation
import Todana

/// The command `todana store key`.
struct KeyTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Manage the passphrases and keys of an encrypted store or archive.",
    discussion: """
      \(EnvironmentHelp.keyAndNewPassphrase)

      Examples:
        todana store key list Music.todana
      """,
    version: TodanaTool.configuration.version,
    subcommands: [
      KeyListCommand.self, KeyAddCommand.self, KeyChangeCommand.self, KeyRemoveCommand.self, KeyRotateCommand.self,
      KeyExportCommand.self, KeyImportCommand.self,
    ])
}

/// The command `todana store key list`.
struct KeyListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the passphrases and keys that open the store.",
    discussion: """
      \(EnvironmentHelp.key)

      Examples:
        todana store key list Music.todana
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup var options: ListOptions

  func run() throws {
    let entries = try store.withStore { try $0.keys.slots().map(KeyEntry.init) }
    var table = TextTable(.number("Number"), .text("kind"), .text("added"), .text(""))
    for entry in entries {
      if options.json { try printJSON(entry) }
      table.append(
        "\(entry.number)", entry.kind, formattedDate(entry.time),
        entry.isDamaged ? "damaged" : entry.isInUse ? "used now" : "")
    }
    if !options.json { try table.print() }
    if entries.contains(where: \.isDamaged) { throw ExitStatus.somethingWrong }
  }
}

/// The command `todana store key add`.
struct KeyAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a passphrase or key.",
    discussion: """
      If no option or variable gives the new passphrase or key, the command asks for a new passphrase.

      \(EnvironmentHelp.keyAndNewPassphrase)

      Examples:
        todana store key add Music.todana --new-passphrase-file new.txt
        todana store key add Music.todana --recovery-key
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @Flag(help: "Create a recovery key and print it. Keep it on paper, not in a file beside the store.")
  var recoveryKey = false
  @Flag(help: "Print the report as one JSON object.") var json = false

  func validate() throws {
    if recoveryKey, newSecret.isPresent {
      throw ValidationError("Pass either --recovery-key or a new passphrase or key.")
    }
  }

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), newSecret.standardInputUse()])
    let recovery = recoveryKey ? RecoveryKey() : nil
    let number = try store.withStore(.writeExisting) { opened in
      let secret = try recovery.map { .recoveryKey($0) } ?? newSecret.secret(for: store.store)
      return try opened.keys.add(secret)
    }
    if json { return try printJSON(KeyChange(number: number, recoveryKey: recovery?.text)) }
    guard let recovery else { return try StandardOutput.line("Added the passphrase or key as number \(number).") }
    try StandardOutput.line(recovery.text)
    // The output is only the recovery key, so that it can be printed or stored.
    printError("added the recovery key as number \(number)")
  }
}

/// The command `todana store key change`.
struct KeyChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Replace the passphrase or key that opens the store now.",
    discussion: """
      The replaced one is the one that opens the store for this command: with --recovery-key-file, the recovery key. \
      'todana store key add' adds another one instead.

      A person who knows the old passphrase or key, and has a copy of the store's file of keys, can still open the \
      store. 'todana store key rotate' prevents that.

      \(EnvironmentHelp.keyAndNewPassphrase)

      Examples:
        todana store key change Music.todana --new-passphrase-file new.txt
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @Flag(help: "Print the report as one JSON object.") var json = false

  func run() throws {
    try StandardInput.check([store.secret.standardInputUse(), newSecret.standardInputUse()])
    let (old, number) = try store.withStore(.writeExisting) { opened in
      let old = try opened.keys.slots().first(where: \.isInUse).map(KeyEntry.init)
      return (old, try opened.keys.change(to: try newSecret.secret(for: store.store)))
    }
    if json { return try printJSON(KeyChange(number: number, recoveryKey: nil)) }
    let removed = old.map { "the \($0.kind) with number \($0.number)" } ?? "the passphrase or key"
    try StandardOutput.line("Replaced \(removed): it no longer opens the store. The new one has number \(number).")
  }
}

/// The command `todana store key remove`.
struct KeyRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a passphrase or key by its number.",
    discussion: """
      The last passphrase or key cannot be removed. A person who knows a removed one, and has a copy of the store's \
      file of keys, can still open the store. 'todana store key rotate' prevents that.

      \(EnvironmentHelp.key)

      Examples:
        todana store key remove Music.todana 2
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The number that 'key list' shows.") var number: KeySlot.ID

  func run() throws {
    let removed = try store.withStore(.writeExisting) { store in
      let removed = try store.keys.slots().first { $0.id == number }
      try store.keys.remove(number)
      return removed
    }
    let kind = removed.map { KeyEntry($0).kind } ?? "passphrase or key"
    let isInUse = removed?.isInUse == true ? " It is the one that opened the store for this command." : ""
    try StandardOutput.line("Removed the \(kind) with number \(number): it no longer opens the store.\(isInUse)")
  }
}

/// The JSON report of an added or changed passphrase or key.
private struct KeyChange: Encodable {
  let number: KeySlot.ID
  let recoveryKey: String?
}

/// The JSON report of one passphrase or key of a store.
struct KeyEntry: Encodable {
  let number: KeySlot.ID
  let kind: String
  let time: Date
  let isDamaged: Bool
  let isInUse: Bool

  init(_ slot: KeySlot) {
    number = slot.id
    kind =
      switch slot.kind {
      case .passphrase: "passphrase"
      case .key: "key"
      case .recoveryKey: "recovery key"
      }
    time = Date(timeIntervalSince1970: Double(slot.createdMilliseconds) / 1000)
    isDamaged = slot.isDamaged
    isInUse = slot.isInUse
  }
}
