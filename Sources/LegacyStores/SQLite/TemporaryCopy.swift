internal import Foundation

/// A copy of a database with its log, which is removed with the object.
final class TemporaryCopy {
  let path: String
  private let directory: URL

  /// Copies a database.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - suffixes: The ends of the names of the files that belong to it.
  /// - Throws: ``LegacyError/Code/cannotOpen``.
  init(of path: String, with suffixes: [String]) throws(LegacyError) {
    directory = FileManager.default.temporaryDirectory.appending(path: "todana-convert-\(UUID().uuidString)")
    // The name counts: SQLite finds the log by it.
    self.path = directory.appending(path: URL(filePath: path).lastPathComponent).path
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for suffix in [""] + suffixes {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: self.path + suffix)
      }
    } catch {
      try? FileManager.default.removeItem(at: directory)
      throw LegacyError(
        .cannotOpen, "the file and its log cannot be copied to \(directory.path): \(error.localizedDescription)")
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }
}
