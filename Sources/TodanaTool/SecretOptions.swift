import ArgumentParser
import Foundation
import Todana

/// What opens an encrypted store.
///
/// Never an argument itself: those can be seen by every user of the machine.
struct SecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of an encrypted store: a file whose first line is the passphrase; - for the standard input.", valueName: "file"))
  var passphraseFile: String?

  @Option(
    help: ArgumentHelp("Of an encrypted store: a file of 16 or 32 bytes that are the key.", valueName: "file"))
  var keyFile: String?

  @Option(
    help: ArgumentHelp("Of an encrypted store: a file whose first line is the recovery key.", valueName: "file"))
  var recoveryKeyFile: String?

  func validate() throws {
    guard [passphraseFile, keyFile, recoveryKeyFile].compactMap(\.self).count <= 1 else {
      throw ValidationError("--passphrase-file, --key-file and --recovery-key-file exclude each other.")
    }
  }

  /// What opening a store takes.
  func encryption() throws -> StoreEncryption {
    guard let secret = try secret() else { return .none }
    return .callback { secret }
  }

  /// The same; nil where none was given.
  func secret() throws -> StoreSecret? {
    if let passphraseFile { return .passphrase(try Self.firstLine(of: passphraseFile)) }
    if let recoveryKeyFile { return .recoveryKey(try RecoveryKey(text: try Self.firstLine(of: recoveryKeyFile))) }
    if let keyFile { return .key([UInt8](try Self.content(of: keyFile))) }
    return nil
  }

  static func firstLine(of file: String) throws -> String {
    let content = try content(of: file)
    let line = content.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard let text = String(data: line, encoding: .utf8) else {
      throw ValidationError("\(file) is not a file of UTF-8 text.")
    }
    return text
  }

  private static func content(of file: String) throws -> Data {
    if file == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
    do {
      return try Data(contentsOf: URL(filePath: file))
    } catch {
      throw ValidationError("\(file) cannot be read: \(error.localizedDescription)")
    }
  }
}
