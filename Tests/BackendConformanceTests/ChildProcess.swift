import Foundation

/// A running `CrashChild`: its standard input and output are this process's to use.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()
  private var isReaped = false

  /// Starts the executable that stands beside the tests'.
  convenience init(_ arguments: String...) throws { try self.init(arguments) }

  /// Starts the executable that stands beside the tests'.
  init(_ arguments: [String]) throws {
    process.executableURL = Self.directory.appending(path: "CrashChild")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The read end sees the end of the output only once no one holds the write end.
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
  }

  deinit {
    if !isReaped { kill() }
  }

  var processID: Int { Int(process.processIdentifier) }

  /// The next line of the output; nil at its end.
  func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        return line
      }
      guard let more = try? output.fileHandleForReading.read(upToCount: 1 << 16), !more.isEmpty else { return nil }
      unread += more
    }
  }

  /// All lines up to the end of the output; a line that was cut off is left out.
  func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    return lines
  }

  /// Ends the child's standard input, which is its sign to leave, and waits until it has.
  func endInput() {
    try? input.fileHandleForWriting.close()
    waitForExit()
  }

  /// Kills the child with `SIGKILL`.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    waitForExit()
  }

  func waitForExit() {
    process.waitUntilExit()
    isReaped = true
  }

  /// Where the test process's executable stands.
  private static var directory: URL {
    #if os(Linux)
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #else
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }
}
