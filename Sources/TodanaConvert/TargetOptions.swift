import ArgumentParser
import Foundation
import Todana

/// The store that is written, and the options for it.
struct TargetOptions: ParsableArguments {
  @Argument(help: "The store's directory; not needed with --list.", completion: .directory) var store: String?
  @Flag(help: "Only show the content of the source.") var list = false
  @Flag(help: "Add to a store that exists.") var intoExisting = false
  @Flag(help: "Show no progress.") var quiet = false
  @Option(
    help: ArgumentHelp(
      "Encrypt the new store with the passphrase in this file, or open an encrypted one. TODANA_PASSPHRASE is used "
        + "without this option.", valueName: "file"),
    completion: .file())
  var storePassphraseFile: String?

  func validate() throws {
    if store == nil, !list { throw ValidationError("Name the store to write, or pass --list.") }
  }

  /// Opens the store, calls the closure, and closes the store.
  ///
  /// - Throws: ``CannotOpen``; errors of the closure.
  func withStore(_ body: (Store) throws -> Void) throws {
    guard let path = store else { throw ValidationError("Name the store to write, or pass --list.") }
    let content = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    guard content.isEmpty || intoExisting else {
      throw CannotOpen("\(path) exists and is not empty: name another store, or pass --into-existing to add to it.")
    }
    var configuration = StoreConfiguration()
    configuration.programName = "todana-convert"
    if let passphrase = try Passphrase.text(ofFile: storePassphraseFile, orVariable: "TODANA_PASSPHRASE") {
      configuration.encryption = .callback { .passphrase(passphrase) }
    }
    let store: Store
    do {
      store = try Store(.directory(path), classes: [], configuration: configuration)
    } catch {
      throw CannotOpen(path, error)
    }
    do {
      try body(store)
    } catch {
      // The first error is the one to report.
      try? store.close(discarding: true)
      throw error
    }
    try store.close()
  }
}

/// A passphrase, which is never an argument: every user of the machine can see those.
enum Passphrase {
  /// Returns the passphrase in a file, without its last newline, or else in a variable of the environment; nil if
  /// neither is given.
  static func text(ofFile file: String?, orVariable variable: String) throws -> String? {
    guard let file else {
      let value = ProcessInfo.processInfo.environment[variable]
      return value?.isEmpty == true ? nil : value
    }
    guard var bytes = FileManager.default.contents(atPath: file) else {
      throw CannotOpen("The file of the passphrase \(file) cannot be read.")
    }
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw CannotOpen("The passphrase in \(file) is empty, or not valid UTF-8.")
    }
    return text
  }
}
