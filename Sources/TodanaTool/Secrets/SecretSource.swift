import Foundation
import Synchronization
import Todana

/// The source of a passphrase or key that is not asked for.
enum SecretSource: Hashable, CustomStringConvertible {
  case passphraseFile(String)
  /// A shell command that prints the passphrase.
  case passphraseCommand(String)
  /// An environment variable that contains the passphrase.
  case passphraseVariable(String)
  case keyFile(String)
  case recoveryKeyFile(String)

  /// Reads the secret once: a second read of the standard input finds nothing, and a command may ask a person.
  ///
  /// - Throws: ``InputError`` if its file cannot be read; ``SecretError``; ``Interrupted``; `StoreError` if it is not a
  ///   recovery key.
  func secret() throws -> StoreSecret {
    if let secret = Self.known.withLock({ $0[self] }) { return secret }
    let secret = try readSecret()
    try check(secret)
    Self.known.withLock { $0[self] = secret }
    return secret
  }

  private static let known = Mutex<[SecretSource: StoreSecret]>([:])

  /// Throws if the secret can open no store; the library would report that with different errors.
  private func check(_ secret: StoreSecret) throws(SecretError) {
    switch secret {
    case .passphrase(""): throw SecretError(description: "\(self) is empty.")
    case .key(let bytes) where bytes.count != 16 && bytes.count != 32:
      throw SecretError(description: "\(self) has \(counted(bytes.count, "byte")): a key has 16 or 32 bytes.")
    default: break
    }
  }

  private func readSecret() throws -> StoreSecret {
    switch self {
    case .passphraseFile(let file): .passphrase(try Self.text(Self.content(of: file), from: file))
    case .passphraseCommand(let command): .passphrase(try Self.text(Self.output(of: command), from: "the command"))
    case .passphraseVariable(let name): .passphrase(try Self.text(ofVariable: name))
    case .keyFile(let file): .key(try Self.content(of: file))
    case .recoveryKeyFile(let file):
      .recoveryKey(try RecoveryKey(text: try Self.text(Self.content(of: file), from: file)))
    }
  }

  /// The source for messages, such as "The key in key.bin".
  var description: String {
    switch self {
    case .passphraseFile("-"): "The passphrase from the standard input"
    case .passphraseFile(let file): "The passphrase in \(printable(file))"
    case .passphraseCommand: "The passphrase that the command prints"
    case .passphraseVariable(let name): "The passphrase in \(name)"
    case .keyFile(let file): "The key in \(printable(file))"
    case .recoveryKeyFile(let file): "The recovery key in \(printable(file))"
    }
  }

  /// The use of the standard input, such as "the passphrase"; nil for any other source.
  var standardInputUse: String? {
    switch self {
    case .passphraseFile("-"): "the passphrase"
    case .keyFile("-"): "the key"
    case .recoveryKeyFile("-"): "the recovery key"
    default: nil
    }
  }

  /// Returns the text without the newline that editors and `echo` append.
  static func text(_ bytes: [UInt8], from place: String) throws(SecretError) -> String {
    var bytes = bytes[...]
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SecretError(description: "The text from \(place) is not valid UTF-8.")
    }
    return text
  }

  private static func text(ofVariable name: String) throws(SecretError) -> String {
    guard let value = unsafe getenv(name), let text = unsafe String(validatingCString: value) else {
      throw SecretError(description: "The environment variable \(name) is not valid UTF-8.")
    }
    return text
  }

  /// The maximum size of a source; a larger one is a mistake, such as an endless device.
  private static let byteLimit = 4 << 20

  private static func content(of file: String) throws -> [UInt8] {
    try InputDescriptor.content(of: file, byteLimit: byteLimit)
  }

  private static func output(of command: String) throws -> [UInt8] {
    do {
      // Do not pass the standard input, which may be the input of the tool.
      let running = try RunningCommand(
        ["/bin/sh", "-c", command], named: "The command for the passphrase", hasInput: false)
      do {
        let printed = try running.readOutput(byteLimit: byteLimit)
        guard printed.count <= byteLimit else {
          throw CommandError("The command for the passphrase prints more than \(byteLimit >> 20) MiB.")
        }
        try running.waitForEnd()
        return printed
      } catch {
        running.stop()
        throw error
      }
    } catch let error as CommandError {
      throw SecretError(description: error.description)
    }
  }
}

/// The error for a passphrase or key that cannot be read from its source.
struct SecretError: Error, CustomStringConvertible {
  let description: String
  /// Whether the arguments or variables contradict each other.
  var isWrongUse = false
}
