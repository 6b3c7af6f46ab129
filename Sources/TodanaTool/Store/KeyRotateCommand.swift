import ArgumentParser
import Todana

/// The command `todana store key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Renew all keys of an encrypted store, and encrypt all data again.",
    discussion: """
      Use this if an attacker may have a passphrase and a copy of the file of keys: changing the passphrase alone does \
      not protect the store then.

      The passphrase or key that opens the store for this command remains, or is replaced by the new one if one is \
      given. Others can only be kept if they are known: pass each with an option that begins with --keep-. If the \
      rotation would remove any other, the command fails and changes nothing, unless --remove-others is passed.

      \(EnvironmentHelp.keyAndNewPassphrase)

      Examples:
        todana store key rotate Music.todana --keep-recovery-key-file paper.txt
        todana store key rotate Music.todana --remove-others
      """,
    version: TodanaTool.configuration.version)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "New passphrase or key") var newSecret: NewSecretOptions
  @OptionGroup(title: "Other passphrases and keys") var others: KeptSecretOptions
  @OptionGroup var options: MigrationOptions
  @Flag(help: "Print the report as one JSON object.") var json = false

  private struct Report: Encodable {
    /// The passphrases and keys that open the store now.
    let keys: [KeyEntry]
    let removedKeys: [KeyEntry]
  }

  func run() throws {
    try StandardInput.check(
      [store.secret.standardInputUse(), newSecret.standardInputUse()] + others.standardInputUses)
    let current = try store.secret.required(for: store.store, toOpen: "the store")
    let new = try newSecret.given()
    let kept = options.resume ? [] : try others.chosen(of: store, openedBy: current, isReplaced: new != nil)
    var removed: [KeyEntry] = []
    try options.run(store, .rotatingKeys, secret: options.resume ? new ?? current : current) { store, progress in
      let rotation = try store.keys.rotate(keeping: [new ?? current] + kept, progress: progress)
      removed = rotation.removedSlots.map(KeyEntry.init)
      if !json, !removed.isEmpty {
        let count = counted(removed.count, "other passphrase or key", "other passphrases or keys")
        try StandardOutput.line("Removed \(count).")
      }
      return rotation.isFinished
    } finish: { store in
      if json { try printJSON(Report(keys: store.keys.slots().map(KeyEntry.init), removedKeys: removed)) }
    }
  }
}
