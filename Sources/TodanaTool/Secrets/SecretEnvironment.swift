import Foundation

/// The environment variables that give a passphrase where no option does.
struct SecretEnvironment {
  /// The variable that has the passphrase itself.
  ///
  /// The variables with `_FILE` and `_COMMAND` appended name a file and a command.
  private let variable: String

  /// The passphrase of what a command works on.
  static let current = SecretEnvironment(variable: "TODANA_PASSPHRASE")
  /// A passphrase that is set.
  static let new = SecretEnvironment(variable: "TODANA_NEW_PASSPHRASE")

  /// Where the passphrase comes from; nil if no variable says.
  ///
  /// An empty variable is none.
  ///
  /// - Throws: ``SecretError`` if more than one is set: either could be the one that was meant.
  func source() throws(SecretError) -> SecretSource? {
    let names = [variable, variable + "_FILE", variable + "_COMMAND"]
    let set = names.compactMap { name in Self.value(of: name).map { (name: name, value: $0) } }
    guard set.count <= 1 else {
      throw SecretError(
        description: "\(set.map(\.name).joined(separator: " and ")) are both set: unset one of them.")
    }
    guard let (name, value) = set.first else { return nil }
    if name == names[1] { return .passphraseFile(value) }
    return name == names[2] ? .passphraseCommand(value) : .passphraseVariable(name)
  }

  /// As typed arguments are: bytes that are not UTF-8 are kept.
  private static func value(of name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe TypedArguments.text(
      UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) })
  }
}
