import Foundation

/// A file of a command line, read whole: patterns or paths.
enum InputFile {
  /// Reads it; `-` is the standard input.
  ///
  /// Throws ``InputError`` where it cannot be read, or has more than so many bytes.
  static func content(of file: String, byteLimit: Int) throws -> [UInt8] {
    do {
      let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
      var content: [UInt8] = []
      while content.count <= byteLimit, let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
        content += part
      }
      guard content.count <= byteLimit else {
        throw InputError(description: "\(file) has more than \(formattedSize(byteLimit)).")
      }
      return content
    } catch let error as InputError {
      throw error
    } catch {
      throw InputError(description: "\(file) cannot be read: \(error.localizedDescription)")
    }
  }
}

/// A file of the command line that cannot be read: wrong use.
struct InputError: Error, CustomStringConvertible {
  let description: String
}
