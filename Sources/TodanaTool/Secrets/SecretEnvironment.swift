import Foundation

/// The environment variables for a passphrase that no option gives.
struct SecretEnvironment {
  /// The name of the variable that contains the passphrase itself.
  ///
  /// With `_FILE` and `_COMMAND` appended, it names the variables for a file and a command.
  private let variable: String

  /// The variables for the passphrase of the opened store or archive.
  static let current = SecretEnvironment(variable: "TODANA_PASSPHRASE")
  /// The variables for the passphrase of the archive to which snapshots are copied.
  static let target = SecretEnvironment(variable: "TODANA_TARGET_PASSPHRASE")
  /// The variables for a new passphrase.
  static let new = SecretEnvironment(variable: "TODANA_NEW_PASSPHRASE")

  /// Returns the source of the passphrase; nil if no variable is set.
  ///
  /// An empty variable counts as not set.
  ///
  /// - Throws: ``SecretError`` if more than one variable is set, as it is unknown which one was meant.
  func source() throws(SecretError) -> SecretSource? {
    let names = [variable, variable + "_FILE", variable + "_COMMAND"]
    let set = names.compactMap { name in Self.value(of: name).map { (name: name, value: $0) } }
    guard set.count <= 1 else {
      throw SecretError(
        description: "\(set.map(\.name).joined(separator: " and ")) are both set: unset one of them.", isWrongUse: true)
    }
    guard let (name, value) = set.first else { return nil }
    if name == names[1] { return .passphraseFile(value) }
    return name == names[2] ? .passphraseCommand(value) : .passphraseVariable(name)
  }

  /// Returns a variable in the form of typed arguments, which preserves bytes that are not UTF-8.
  private static func value(of name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe TypedArguments.text(
      UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) })
  }
}
