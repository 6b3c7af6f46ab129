import ArgumentParser
import Foundation

/// An input file of the command line that is read sequentially, or the standard input.
///
/// The first Ctrl-C ends waiting for the writer of a FIFO or for data of a pipe.
struct InputDescriptor: ~Copyable {
  let descriptor: Int32

  /// Opens a file.
  ///
  /// - Parameter path: The path as it was typed; `-` is the standard input.
  /// - Throws: ``InputError`` if it cannot be opened; ``Interrupted``.
  init(_ path: String) throws {
    descriptor = path == "-" ? STDIN_FILENO : try Self.open(path)
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Reads the next bytes.
  ///
  /// - Parameters:
  ///   - byteLimit: The maximum number of bytes to read at once.
  ///   - path: The file, for errors.
  /// - Returns: The bytes; none at the end.
  /// - Throws: ``InputError``; ``Interrupted``.
  func read(upTo byteLimit: Int, of path: String) throws -> [UInt8] {
    while true {
      try waitForInput(descriptor)
      var bytes = [UInt8](repeating: 0, count: byteLimit)
      let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes[..<count]) }
      if errno != EINTR { throw InputError(path, "cannot be read", systemMessage()) }
    }
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - path: The path as it was typed; `-` is the standard input.
  ///   - byteLimit: The maximum size of the file.
  /// - Returns: The bytes of the file.
  /// - Throws: ``InputError``, for example if the file is larger; ``Interrupted``.
  static func content(of path: String, byteLimit: Int) throws -> [UInt8] {
    let input = try InputDescriptor(path)
    var content: [UInt8] = []
    while content.count <= byteLimit {
      let part = try input.read(upTo: min(1 << 20, byteLimit + 1), of: path)
      if part.isEmpty { return content }
      content += part
    }
    throw InputError(path, "cannot be read", "it is larger than \(formattedSize(byteLimit))")
  }

  private static func open(_ path: String) throws -> Int32 {
    // Do not let `open` wait for the writer of a FIFO: after a signal it would continue to wait.
    var descriptor = unsafe Foundation.open(cPath(path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    // Another program holds a lease on the file, and releases it while this blocking call waits.
    if descriptor < 0, errno == EWOULDBLOCK {
      descriptor = unsafe Foundation.open(cPath(path), O_RDONLY | O_CLOEXEC | O_NOCTTY)
    }
    guard descriptor >= 0 else { throw InputError(path, "cannot be opened", systemMessage()) }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
      do {
        // Wait for the first writer; a read before it would return the end of the file.
        try waitForInput(descriptor)
      } catch {
        close(descriptor)
        throw error
      }
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    return descriptor
  }
}

/// The error for an input file of the command line that cannot be opened or read.
struct InputError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ failure: String, _ reason: String) {
    description = "\(path == "-" ? "The standard input" : path) \(failure): \(reason)."
  }
}

/// Waits until input is available, or has ended.
///
/// - Throws: ``Interrupted``. A read without this wait would continue after a signal.
func waitForInput(_ descriptor: Int32) throws(Interrupted) {
  while true {
    try Interruption.check()
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe Foundation.poll(&poll, 1, 200) > 0 { return }
  }
}

/// Returns a path as it was typed, for system calls.
func cPath(_ path: String) -> [CChar] { bytes(path).map { CChar(bitPattern: $0) } + [0] }

/// Returns the message of the last system call's error.
func systemMessage(_ number: Int32 = errno) -> String { unsafe String(cString: strerror(number)) }

/// The standard input, which only one part of a command line can use.
enum StandardInput {
  /// Checks that at most one part of a command line reads the standard input.
  ///
  /// - Parameter uses: The uses that it would have, such as "the passphrase"; nil for parts that do not read it.
  /// - Throws: `ValidationError` if there are two.
  static func check(_ uses: [String?]) throws(ValidationError) {
    let uses = uses.compactMap(\.self)
    if uses.count > 1 {
      throw ValidationError("The standard input cannot be both \(uses[0]) and \(uses[1]).")
    }
  }
}
