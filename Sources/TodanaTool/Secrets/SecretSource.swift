import Foundation
import Todana

/// Where a passphrase or key comes from, if it is not asked for.
enum SecretSource {
  case passphraseFile(String)
  /// A command for the shell, which prints the passphrase.
  case passphraseCommand(String)
  case keyFile(String)
  case recoveryKeyFile(String)

  func secret() throws -> StoreSecret {
    switch self {
    case .passphraseFile(let file): .passphrase(try Self.text(Self.content(of: file), from: file))
    case .passphraseCommand(let command): .passphrase(try Self.text(Self.output(of: command), from: "The command"))
    case .keyFile(let file): .key([UInt8](try Self.content(of: file)))
    case .recoveryKeyFile(let file):
      .recoveryKey(try RecoveryKey(text: try Self.text(Self.content(of: file), from: file)))
    }
  }

  /// A passphrase as the environment has it; nil where it has none.
  static func passphrase(ofVariable name: String) throws -> StoreSecret? {
    guard let value = unsafe getenv(name) else { return nil }
    guard let text = unsafe String(validatingCString: value) else {
      throw SecretError(description: "The environment variable \(name) is no UTF-8 text.")
    }
    return text.isEmpty ? nil : .passphrase(text)
  }

  /// The text without the end of its line, which editors and `echo` leave there.
  static func text(_ bytes: Data, from place: String) throws -> String {
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

  /// Whatever gives more is not what was meant, such as a device that never ends.
  private static let byteLimit = 4 << 20

  private static func content(of file: String) throws -> Data {
    let content: Data
    do {
      let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
      content = try read(handle)
    } catch {
      throw SecretError(description: "\(file) cannot be read: \(error.localizedDescription)")
    }
    return try checkLength(of: content, from: file)
  }

  private static func read(_ handle: FileHandle) throws -> Data {
    var content = Data()
    // A pipe gives it in parts.
    while content.count <= byteLimit, let part = try handle.read(upToCount: byteLimit), !part.isEmpty {
      content += part
    }
    return content
  }

  private static func checkLength(of content: Data, from place: String) throws -> Data {
    guard content.count <= byteLimit else {
      throw SecretError(description: "\(place) gives more than \(byteLimit >> 20) MiB: that is no passphrase or key.")
    }
    return content
  }

  private static func output(of command: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    // The standard input may be what the command line is about.
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    let printed: Data
    do {
      try process.run()
      printed = try read(output.fileHandleForReading)
      // Whatever still writes, the command's own children too, ends with that.
      try output.fileHandleForReading.close()
    } catch {
      throw SecretError(description: "The command for the passphrase cannot be run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    _ = try checkLength(of: printed, from: "The command for the passphrase")
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw SecretError(
        description: "The command for the passphrase failed with status \(process.terminationStatus).")
    }
    return printed
  }
}
