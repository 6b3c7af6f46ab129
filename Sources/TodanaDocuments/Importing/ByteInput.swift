internal import CXXHash
internal import Foundation

/// The bytes of a file or of another input, in pieces.
final class ByteInput {
  /// The name for messages.
  let name: String
  /// The size of the file; nil if it is not a regular file.
  let byteCount: Int?
  private let file: FileHandle?
  private let readPiece: () throws -> [UInt8]

  private static let pieceByteCount = 1 << 17
  /// The number of bytes before a position, after it, and at the beginning of the file, which ``digest(around:)`` reads.
  private static let digestByteCount = 1 << 12

  /// Opens a file.
  ///
  /// - Throws: ``ImportError/Code/cannotRead``.
  init(path: String) throws(ImportError) {
    name = path
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var status = stat()
      // The status is only read after the call has filled it.
      guard unsafe fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        throw CocoaError(.fileReadUnknown)
      }
      byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
      self.file = file
      readPiece = { [UInt8](try file.read(upToCount: Self.pieceByteCount) ?? Data()) }
    } catch {
      throw ImportError(.cannotRead, "\(path) cannot be opened: \(error.localizedDescription)", underlying: error)
    }
  }

  /// Makes an input of a closure, which returns no bytes at the end.
  init(name: String, read: @escaping () throws -> [UInt8]) {
    self.name = name
    byteCount = nil
    file = nil
    readPiece = read
  }

  /// Returns the next bytes; none at the end.
  ///
  /// - Throws: ``ImportError/Code/cannotRead``; errors of a closure.
  func read() throws -> [UInt8] {
    guard file != nil else { return try readPiece() }
    do {
      return try readPiece()
    } catch {
      throw cannotRead(error)
    }
  }

  /// Continues at a position.
  ///
  /// - Throws: ``ImportError/Code/cannotRead``.
  func seek(to offset: Int) throws(ImportError) {
    do {
      try file?.seek(toOffset: UInt64(offset))
    } catch {
      throw cannotRead(error)
    }
  }

  /// Returns a checksum of the bytes around a position, and of the beginning of the file; nil if it is not a regular file.
  ///
  /// The position for the next read is kept.
  func digest(around offset: Int) throws(ImportError) -> UInt64? {
    guard let file, byteCount != nil else { return nil }
    do {
      let position = try file.offset()
      defer { try? file.seek(toOffset: position) }
      let count = Self.digestByteCount
      var bytes = Data()
      for start in [0, max(0, offset - count), offset] {
        try file.seek(toOffset: UInt64(start))
        bytes += try file.read(upToCount: count) ?? Data()
      }
      // The pointer is used within the call only.
      return unsafe bytes.withUnsafeBytes { unsafe XXH_INLINE_XXH3_64bits($0.baseAddress, $0.count) }
    } catch {
      throw cannotRead(error)
    }
  }

  private func cannotRead(_ error: any Error) -> ImportError {
    ImportError(.cannotRead, "\(name) cannot be read: \(error.localizedDescription)", underlying: error)
  }
}
