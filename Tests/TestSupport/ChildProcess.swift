import Foundation
import Synchronization

private let startLock = Mutex(())

/// A child process, by default `CrashChild`, with pipes to its standard input and from its standard output.
///
/// Foundation's `Process` is not used: it learns of a child's end through a descriptor. Children started at the same
/// time inherit this descriptor, so parallel tests would wait for each other's children.
public final class ChildProcess {
  public let processID: Int
  private var input: Int32?
  private let output: Int32
  private var unread = Data()
  private var status: Int32?

  /// Starts the `CrashChild` in the directory of the tests' executable.
  public convenience init(_ arguments: String...) throws { try self.init(arguments) }

  /// Starts the `CrashChild` in the directory of the tests' executable.
  public convenience init(_ arguments: [String]) throws {
    try self.init(product: "CrashChild", arguments)
  }

  /// Starts an executable of this package, from the directory of the tests' executable.
  public convenience init(product name: String, _ arguments: [String]) throws {
    try self.init(executable: Self.path(ofProduct: name), arguments)
  }

  /// Returns the path of an executable of this package.
  public static func path(ofProduct name: String) -> String { directory.appending(path: name).path }

  public init(executable path: String, _ arguments: [String]) throws {
    // One at a time: a child started between the creation of a pipe and its close-on-exec flag would inherit the pipe.
    (processID, input, output) = try startLock.withLock { _ in
      let (childInput, input) = try Self.pipe()
      let (output, childOutput) = try Self.pipe()
      defer {
        close(childInput)
        close(childOutput)
      }
      return (try Self.spawn(path, [path] + arguments, input: childInput, output: childOutput), input, output)
    }
  }

  deinit {
    if status == nil { kill() }
    if let input { close(input) }
    close(output)
  }

  /// Returns the next line of the output, or nil at its end.
  public func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        return line
      }
      guard readMore() else { return nil }
    }
  }

  /// Returns all lines up to the end of the output, without an incomplete last one.
  public func remainingLines() -> [String] {
    while readMore() {}
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    return lines
  }

  /// Waits for a text in the output, such as a question, and takes the output up to the end of the text.
  ///
  /// - Returns: The output taken, or nil if the output ends without the text.
  public func output(through text: String) -> String? {
    while true {
      if let found = unread.firstRange(of: Data(text.utf8)) {
        let taken = String(decoding: unread[..<found.upperBound], as: UTF8.self)
        unread = Data(unread[found.upperBound...])
        return taken
      }
      guard readMore() else { return nil }
    }
  }

  /// Writes to the child's standard input.
  public func write(_ text: String) {
    guard let input else { return }
    let bytes = Array(text.utf8)
    // A child that no longer reads is noticed by its status.
    _ = unsafe Foundation.write(input, bytes, bytes.count)
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let byteCount = unsafe read(output, &buffer, buffer.count)
    guard byteCount > 0 else { return false }
    unread += buffer[..<byteCount]
    return true
  }

  /// Ends the child's standard input, which asks it to exit, and waits until it has.
  public func endInput() {
    if let input { close(input) }
    input = nil
    waitForExit()
  }

  /// Kills the child with `SIGKILL`.
  public func kill() {
    _ = Foundation.kill(pid_t(processID), SIGKILL)
    waitForExit()
  }

  /// Waits for the child's end and returns its wait status, which is 0 for success.
  @discardableResult
  public func waitForExit() -> Int32 {
    if let status { return status }
    var status: Int32 = 0
    while unsafe waitpid(pid_t(processID), &status, 0) == -1, errno == EINTR {}
    self.status = status
    return status
  }

  /// The directory of the test process's executable.
  private static var directory: URL {
    #if os(Linux)
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #else
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }

  /// Makes a pipe that no other child inherits: while another process holds the write end, a reader does not see the
  /// end of the data.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ path: String, _ arguments: [String], input: Int32, output: Int32
  ) throws -> Int {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // Tests that run in the background or under nohup pass ignored signals to children, and tests send these signals.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&defaults, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // C strings that live until after the call, with a null pointer at the end.
    var cArguments = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe cArguments.forEach { unsafe free($0) } }
    var processID: pid_t = 0
    let failure = unsafe posix_spawn(&processID, path, &actions, &attributes, &cArguments, environ)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .ENOENT) }
    return Int(processID)
  }
}
