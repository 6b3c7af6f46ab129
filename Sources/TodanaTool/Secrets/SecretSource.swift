import Foundation
import Synchronization
import Todana

/// Where a passphrase or key comes from, if it is not asked for.
enum SecretSource: Hashable {
  case passphraseFile(String)
  /// A command for the shell, which prints the passphrase.
  case passphraseCommand(String)
  /// An environment variable that has the passphrase.
  case passphraseVariable(String)
  case keyFile(String)
  case recoveryKeyFile(String)

  /// Reads it, once: a standard input has no second passphrase, and a command may ask a person.
  ///
  /// - Throws: ``SecretError`` if it cannot be had; ``Interrupted``; `StoreError` if it is no recovery key.
  func secret() throws -> StoreSecret {
    if let secret = Self.known.withLock({ $0[self] }) { return secret }
    let secret = try readSecret()
    Self.known.withLock { $0[self] = secret }
    return secret
  }

  private static let known = Mutex<[SecretSource: StoreSecret]>([:])

  private func readSecret() throws -> StoreSecret {
    switch self {
    case .passphraseFile(let file): .passphrase(try Self.text(Self.content(of: file), from: file))
    case .passphraseCommand(let command): .passphrase(try Self.text(Self.output(of: command), from: "The command"))
    case .passphraseVariable(let name): .passphrase(try Self.text(ofVariable: name))
    case .keyFile(let file): .key(try Self.content(of: file))
    case .recoveryKeyFile(let file):
      .recoveryKey(try RecoveryKey(text: try Self.text(Self.content(of: file), from: file)))
    }
  }

  /// The use of the standard input, such as "the passphrase"; nil if the source is another one.
  var standardInputUse: String? {
    switch self {
    case .passphraseFile("-"): "the passphrase"
    case .keyFile("-"): "the key"
    case .recoveryKeyFile("-"): "the recovery key"
    default: nil
    }
  }

  /// The text without the end of its line, which editors and `echo` leave there.
  static func text(_ bytes: [UInt8], from place: String) throws(SecretError) -> String {
    var bytes = bytes[...]
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SecretError(description: "\(place) gives bytes that are no UTF-8 text.")
    }
    return text
  }

  private static func text(ofVariable name: String) throws(SecretError) -> String {
    guard let value = unsafe getenv(name), let text = unsafe String(validatingCString: value) else {
      throw SecretError(description: "The environment variable \(name) is no UTF-8 text.")
    }
    return text
  }

  /// A source that gives more is not the one that was meant, such as a device that never ends.
  private static let byteLimit = 4 << 20

  private static func content(of file: String) throws -> [UInt8] {
    do {
      return try InputDescriptor.content(of: file, byteLimit: byteLimit)
    } catch let error as InputError {
      throw SecretError(description: error.description)
    }
  }

  private static func output(of command: String) throws -> [UInt8] {
    do {
      // The standard input may be what the command line is about.
      let running = try RunningCommand(
        ["/bin/sh", "-c", command], named: "The command for the passphrase", hasInput: false)
      do {
        let printed = try running.readOutput(byteLimit: byteLimit)
        guard printed.count <= byteLimit else {
          throw CommandError("The command prints more than \(byteLimit >> 20) MiB: that is no passphrase.")
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

/// A passphrase or key that cannot be had from where the command line says.
struct SecretError: Error, CustomStringConvertible {
  let description: String
}
