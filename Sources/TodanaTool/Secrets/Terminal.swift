import CProcess
import Foundation
import Todana

/// The controlling terminal of the process, independently of its standard input and output.
struct Terminal: ~Copyable {
  private let descriptor: Int32

  /// The maximum length of a line; no terminal delivers a longer one.
  private static let lineByteLimit = 4096

  /// Opens the terminal; returns nil if there is none.
  init?() {
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Asks for an existing passphrase.
  func askPassphrase(_ question: String) throws -> StoreSecret { .passphrase(try ask(question)) }

  /// Asks for a new passphrase twice, as the typed text is not shown.
  func askNewPassphrase(_ question: String) throws -> StoreSecret {
    let passphrase = try ask(question)
    guard !passphrase.isEmpty else { throw TerminalError(description: "A passphrase must not be empty.") }
    guard try ask("Again: ").utf8.elementsEqual(passphrase.utf8) else {
      throw TerminalError(description: "The two passphrases are not the same.")
    }
    return .passphrase(passphrase)
  }

  /// Asks a question, and returns whether the answer is yes; any other answer means no.
  func confirms(_ question: String) throws -> Bool {
    write(question)
    let answer = try SecretSource.text(try readLine() ?? [], from: "the terminal").lowercased()
    return answer == "y" || answer == "yes"
  }

  private func ask(_ question: String) throws -> String {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw TerminalError(description: "Cannot ask for a passphrase on the terminal: \(systemMessage()).")
    }
    var quiet = settings
    quiet.c_lflag &= ~tcflag_t(ECHO)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else {
      throw TerminalError(description: "Cannot ask for a passphrase on the terminal: \(systemMessage()).")
    }
    write(question)
    defer {
      unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
      write("\n")
    }
    guard let line = try readLine() else { throw TerminalError(description: "No passphrase was given.") }
    return try SecretSource.text(line, from: "the terminal")
  }

  /// Returns a line with its end; nil if the user has ended the input.
  private func readLine() throws -> [UInt8]? {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n"), line.count < Self.lineByteLimit {
      try waitForInput(descriptor)
      var byte: UInt8 = 0
      guard unsafe read(descriptor, &byte, 1) == 1 else { break }
      line.append(byte)
    }
    return line.isEmpty ? nil : line
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    // If the question cannot be shown, the answer can still be read.
    _ = unsafe tdp_write_without_signal(descriptor, bytes, bytes.count)
  }
}

/// The error for a passphrase that was not typed correctly.
struct TerminalError: Error, CustomStringConvertible {
  let description: String
}
