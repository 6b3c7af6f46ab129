import ArgumentParser
import Todana

/// The options of `key rotate` for the passphrases and keys besides the one that opens the store.
struct KeptSecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also keep the passphrase in this file; - is the standard input; can be repeated.", valueName: "file"),
    completion: .file())
  var keepPassphraseFile: [String] = []

  @Option(
    help: ArgumentHelp("Also keep the key in this file; can be repeated.", valueName: "file"), completion: .file())
  var keepKeyFile: [String] = []

  @Option(
    help: ArgumentHelp("Also keep the recovery key in this file; can be repeated.", valueName: "file"),
    completion: .file())
  var keepRecoveryKeyFile: [String] = []

  @Flag(help: "Remove all other passphrases, keys and recovery keys.") var removeOthers = false

  /// The uses of the standard input, such as "the passphrase".
  var standardInputUses: [String?] { sources.map(\.standardInputUse) }

  /// Returns the secrets to keep, after checking that no other would be removed unless that was requested.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - current: The secret that opens the store.
  ///   - isReplaced: Whether a new secret replaces `current`.
  /// - Returns: The secrets of these options.
  /// - Throws: ``CannotOpen`` if one of them does not open the store; `ValidationError` if others would be removed.
  func chosen(of store: StoreOptions, openedBy current: StoreSecret, isReplaced: Bool) throws -> [StoreSecret] {
    let slots = try store.withStore(secret: current) { try $0.keys.slots() }
    var known = Set(slots.filter(\.isInUse).map(\.id))
    var chosen: [StoreSecret] = []
    for source in sources {
      let secret = try source.secret()
      let slot = try slot(of: secret, from: source, store)
      // The current secret is kept in any case, unless a new one replaces it.
      if known.insert(slot).inserted || isReplaced { chosen.append(secret) }
    }
    let lost = slots.filter { !known.contains($0.id) && !$0.isDamaged }
    guard lost.isEmpty || removeOthers else {
      let list = lost.map { "\($0.id) (\(KeyEntry($0).kind))" }.joined(separator: ", ")
      throw ValidationError(
        "The rotation would remove \(counted(lost.count, "other passphrase or key", "other passphrases or keys")): "
          + "\(list). Keep each with --keep-passphrase-file, --keep-key-file or --keep-recovery-key-file, or pass "
          + "--remove-others.")
    }
    return chosen
  }

  private func slot(of secret: StoreSecret, from source: SecretSource, _ store: StoreOptions) throws -> KeySlot.ID {
    do {
      guard let slot = try store.withStore(secret: secret, { try $0.keys.slots().first(where: \.isInUse) }) else {
        throw CannotOpen("\(printable(store.store)) does not tell which passphrase or key opened it.")
      }
      return slot.id
    } catch let error as CannotOpen where error.storeError?.code == .wrongKey || error.storeError?.code == .invalidKey {
      throw CannotOpen("\(source) does not open \(printable(store.store)), so it cannot be kept.")
    }
  }

  private var sources: [SecretSource] {
    keepPassphraseFile.map { .passphraseFile($0) } + keepKeyFile.map { .keyFile($0) }
      + keepRecoveryKeyFile.map { .recoveryKeyFile($0) }
  }
}
