import Foundation
import TodanaArchive

/// The advice for operands in the wrong order, such as a store after the class that is to be listed.
///
/// It is printed after the error of a store, archive, series or file that cannot be opened. It depends on the things at
/// the typed paths, and not on the command's own operands, because the error does not tell which operand failed.
struct OperandAdvice {
  /// The command's words after "todana", such as ["store", "list"].
  private let words: [String]
  private let operands: [String]
  /// Whether an input file could not be opened, and not the store or archive.
  private let isAboutInput: Bool

  /// - Parameters:
  ///   - arguments: The arguments after the program's name.
  ///   - isAboutInput: Whether an input file could not be opened, and not the store or archive.
  init(of arguments: [String], isAboutInput: Bool) {
    self.isAboutInput = isAboutInput
    words = CommandUsage(of: arguments).words
    operands = arguments.dropFirst(words.count).filter { !$0.hasPrefix("-") }
  }

  /// The sentences of the advice; nil if the order of the operands looks right.
  var text: String? {
    guard let kind = words.first, let first = operands.first else { return nil }
    switch words.dropFirst().first {
    case "restore" where kind == "store", "backups" where kind == "store": return adviceForSeries(first)
    case "import" where kind == "store": return adviceForNew(first, before: "the dump")
    case "unpack": return adviceForNew(first, before: "the pack")
    case "init": return nil
    default: return kind == "archive" ? adviceForArchive(first) : adviceForStore(first)
    }
  }

  private func adviceForStore(_ first: String) -> String? {
    if isSeries(first) {
      return
        "\(shown(first)) is a series of backups: 'todana store backups list' lists them, and 'todana store restore' "
        + "creates a store from one."
    }
    return adviceForOrder(first)
  }

  private func adviceForArchive(_ first: String) -> String? {
    if isStore(first), !isAboutInput {
      return "The commands of 'todana store' inspect it; 'todana archive init' creates an archive."
    }
    return adviceForOrder(first)
  }

  private func adviceForOrder(_ first: String) -> String? {
    guard !isStore(first), let store = operands.dropFirst().first(where: isStore) else { return nil }
    return
      "\(shown(store)) is a store or archive: pass it before \(shown(first)), as in “\(command) \(shown(store)) …”."
  }

  private func adviceForSeries(_ first: String) -> String? {
    if isSeries(first) { return nil }
    if let series = operands.dropFirst().first(where: isSeries) {
      return
        "\(shown(series)) is a series of backups: pass it before \(shown(first)), as in “\(command) \(shown(series)) …”."
    }
    return isStore(first) ? "\(shown(first)) is a store, and not a series of backups." : nil
  }

  /// Returns the advice for a command whose first operand is a new directory, and whose second one is a file.
  private func adviceForNew(_ first: String, before file: String) -> String? {
    guard isFile(first), operands.count > 1 else { return nil }
    return "\(shown(first)) is a file: pass the new directory before \(file), as in “\(command) NEW \(shown(first))”."
  }

  private var command: String { (["todana"] + words).joined(separator: " ") }

  private func shown(_ path: String) -> String { printable(path) }

  private func isStore(_ path: String) -> Bool { kind(of: path + "/superblock") == S_IFREG }

  private func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  private func isSeries(_ path: String) -> Bool {
    guard kind(of: path) == S_IFDIR, let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return false
    }
    return names.contains { $0.hasSuffix(".manifest") }
  }

  /// Returns the file type of `st_mode`; 0 if nothing exists at the path.
  private func kind(of path: String) -> mode_t {
    var status = stat()
    return unsafe stat(cPath(path), &status) == 0 ? status.st_mode & S_IFMT : 0
  }
}
