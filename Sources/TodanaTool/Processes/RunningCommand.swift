import CProcess
import Foundation

/// A child process whose standard output the tool reads.
///
/// It shares the standard error of the tool. The caller must call ``waitForEnd()`` or ``stop()``, so that no zombie is
/// left.
final class RunningCommand {
  /// The read end of the pipe from the standard output.
  let output: Int32
  private let name: String
  private let processID: pid_t
  private var end: End?
  /// The time at which the output became silent after the command had ended, while another process still holds the
  /// output open; nil if it is not silent.
  private var silentSince: ContinuousClock.Instant?

  /// The maximum silence of processes that hold the output open after the command has ended.
  private static let mostSilence: Duration = .seconds(10)
  /// The maximum time for the command to end after it was asked to.
  private static let mostStopping: Duration = .seconds(10)

  /// The exit status or signal with which the command has ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Starts a command, which is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, as they were typed.
  ///   - name: The subject of messages about the command; by default, the program.
  ///   - hasInput: Whether it reads the tool's standard input; otherwise its input is empty.
  /// - Throws: ``CommandError`` if it cannot be started.
  init(_ arguments: [String], named name: String? = nil, hasInput: Bool) throws(CommandError) {
    self.name = name ?? "“\(arguments.first ?? "")”"
    var cArguments = unsafe arguments.map { unsafe strdup(cPath($0)) } + [nil]
    defer { unsafe cArguments.forEach { unsafe free($0) } }
    var output: Int32 = -1
    processID = unsafe tdp_start(&cArguments, hasInput, &output)
    guard processID > 0 else {
      throw CommandError("\(self.name) cannot be run: \(systemMessage(-processID)).")
    }
    self.output = output
  }

  deinit { close(output) }

  /// Throws if no more output is expected, although the output is still open.
  ///
  /// A process that the command has started, for example a daemon, may hold the output open long after the command has
  /// ended. If it writes nothing, the output does not end, and the tool would wait forever.
  ///
  /// - Throws: ``CommandError`` if the output was silent for ten seconds after the command has ended.
  func checkOutput() throws(CommandError) {
    var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard endIfKnown() != nil, unsafe Foundation.poll(&poll, 1, 0) == 0 else {
      silentSince = nil
      return
    }
    let now = ContinuousClock.now
    guard let silentSince else {
      self.silentSince = now
      return
    }
    if silentSince.duration(to: now) > Self.mostSilence {
      throw CommandError(
        "\(name) has ended, but a process that it started holds its output open: redirect that process's output.")
    }
  }

  /// Reads the whole output.
  ///
  /// - Parameter byteLimit: The size above which reading stops.
  /// - Returns: The output; more bytes than the limit if the output is larger.
  /// - Throws: ``CommandError``; ``Interrupted``.
  func readOutput(byteLimit: Int) throws -> [UInt8] {
    var content: [UInt8] = []
    while content.count <= byteLimit {
      try Interruption.check()
      try checkOutput()
      var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard unsafe Foundation.poll(&poll, 1, 100) > 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafe read(output, &piece, piece.count)
      if count == 0 { break }
      if count > 0 { content += piece[..<count] }
      if count < 0, errno != EINTR { throw CommandError("\(name): its output cannot be read: \(systemMessage()).") }
    }
    return content
  }

  /// Waits until the command has ended.
  ///
  /// - Throws: ``Interrupted``; ``CommandError`` if it failed.
  func waitForEnd() throws {
    while endIfKnown() == nil {
      try Interruption.check()
      usleep(10_000)
    }
    switch end {
    case .status(0), nil: break
    case .status(let status): throw CommandError("\(name) failed with status \(status).")
    case .signal(let signal):
      throw CommandError("\(name) was terminated by signal \(signal) (\(unsafe String(cString: strsignal(signal)))).")
    }
  }

  /// Asks the command to end, and waits until it has; kills it if it does not end within ten seconds.
  func stop() {
    guard endIfKnown() == nil else { return }
    kill(processID, SIGTERM)
    // A stopped process receives the signal only after it is continued.
    kill(processID, SIGCONT)
    let last = ContinuousClock.now + Self.mostStopping
    while endIfKnown() == nil {
      if ContinuousClock.now > last { kill(processID, SIGKILL) }
      usleep(10_000)
    }
  }

  private func endIfKnown() -> End? {
    if let end { return end }
    var status: Int32 = 0
    switch unsafe tdp_child_status(processID, &status) {
    case 0: return nil
    // The macros WIFEXITED and WTERMSIG are not available in Swift.
    case 1: end = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    // Another part of the process has waited for the child: its exit status is unknown.
    default: end = .status(127)
    }
    return end
  }
}

/// The error for a command that cannot be run, or that failed.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
