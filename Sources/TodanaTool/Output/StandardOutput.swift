import Foundation
import Synchronization

/// The standard output, in large pieces, and with an error where it cannot be written: a dump on a full disk must not
/// pass for a whole one.
enum StandardOutput {
  private static let pending = Mutex<[UInt8]>([])
  private static let pieceByteCount = 1 << 16

  static func line(_ text: String) throws { try write(Array((text + "\n").utf8)) }

  static func write(_ bytes: [UInt8]) throws {
    try pending.withLock { pending in
      pending += bytes
      if pending.count >= pieceByteCount { try writeOut(&pending) }
    }
  }

  static func flush() throws { try pending.withLock { try writeOut(&$0) } }

  private static func writeOut(_ bytes: inout [UInt8]) throws {
    defer { bytes.removeAll(keepingCapacity: true) }
    guard write(bytes, to: STDOUT_FILENO) else {
      throw OutputError(description: "The output cannot be written: \(systemMessage()).")
    }
  }

  /// Writes all bytes; false where a call of the system fails.
  fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// Makes a file that only its owner can read.
///
/// - Throws: ``OutputError``, also where there is something at the path.
func writeNewFile(_ path: String, _ bytes: [UInt8]) throws {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw OutputError(description: "\(path) cannot be made: \(systemMessage()).") }
  defer { close(descriptor) }
  guard StandardOutput.write(bytes, to: descriptor), fsync(descriptor) == 0 else {
    let message = systemMessage()
    unsafe unlink(path)
    throw OutputError(description: "\(path) cannot be written: \(message).")
  }
}

/// A file or an output that cannot be read or written.
struct OutputError: Error, CustomStringConvertible {
  let description: String
}
