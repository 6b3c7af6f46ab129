internal import Foundation

/// A file that gets its name when it is complete.
final class FileOutput {
  private let path: String
  private let temporaryPath: String
  private let file: FileHandle
  private var pending = Data()
  private var isFinished = false

  /// Creates the file under a temporary name beside the final one.
  ///
  /// - Throws: ``ExportError/Code/cannotWrite``.
  init(path: String) throws(ExportError) {
    self.path = path
    temporaryPath = "\(path).\(UUID().uuidString.prefix(8)).partial"
    do {
      try Data().write(to: URL(fileURLWithPath: temporaryPath), options: .withoutOverwriting)
      file = try FileHandle(forWritingTo: URL(fileURLWithPath: temporaryPath))
    } catch {
      throw Self.failure(path, error)
    }
  }

  deinit {
    try? file.close()
    if !isFinished { try? FileManager.default.removeItem(atPath: temporaryPath) }
  }

  func write(_ bytes: [UInt8]) throws(ExportError) {
    pending += bytes
    if pending.count >= 1 << 17 { try flush() }
  }

  /// Writes the file to the disk, and gives it its name.
  func finish() throws(ExportError) {
    try flush()
    do {
      try file.synchronize()
    } catch {
      throw Self.failure(path, error)
    }
    guard unsafe rename(temporaryPath, path) == 0 else {
      throw Self.failure(path, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
    isFinished = true
  }

  private func flush() throws(ExportError) {
    do {
      try file.write(contentsOf: pending)
    } catch {
      throw Self.failure(path, error)
    }
    pending.removeAll(keepingCapacity: true)
  }

  private static func failure(_ path: String, _ error: any Error) -> ExportError {
    ExportError(.cannotWrite, "\(path) cannot be written: \(error.localizedDescription)", underlying: error)
  }
}
