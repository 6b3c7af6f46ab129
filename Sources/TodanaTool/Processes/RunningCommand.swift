import CProcess
import Foundation

/// A command that the tool has started, and whose standard output it reads.
///
/// Its standard error is the tool's own. The caller ends with ``waitForEnd()`` or ``stop()``, so that no zombie is left.
final class RunningCommand {
  /// The end of the pipe to read the output from.
  let output: Int32
  private let name: String
  private let processID: pid_t
  private var end: End?
  /// Since when the command has ended, and nothing came from those that still have its output open.
  private var silentSince: ContinuousClock.Instant?

  /// How long processes that the command has left behind may stay silent while they hold its output open.
  private static let mostSilence: Duration = .seconds(10)
  /// How long the command may take to end once it was asked to.
  private static let mostStopping: Duration = .seconds(10)

  /// How the command ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Starts a command, which is looked for in `PATH`.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, as they were typed.
  ///   - name: The subject of messages about it; without it, the program.
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

  /// Checks that the output may still go on.
  ///
  /// A process that the command started may hold the output open long after the command has ended, a daemon for example.
  /// Its silence is neither the end of the output nor worth waiting for.
  ///
  /// - Throws: ``CommandError`` if there was nothing to read for ten seconds since the command ended.
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
  /// - Parameter byteLimit: Reading ends when there is more.
  /// - Returns: The output; more bytes than the limit if there is more.
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
      if count < 0, errno != EINTR { throw CommandError("\(name) cannot be read from: \(systemMessage()).") }
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
      throw CommandError("\(name) was ended by signal \(signal) (\(unsafe String(cString: strsignal(signal)))).")
    }
  }

  /// Asks the command to end, and waits until it has; kills it if it does not end within ten seconds.
  func stop() {
    guard endIfKnown() == nil else { return }
    kill(processID, SIGTERM)
    // A stopped process does not hear of it.
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
    // WIFEXITED and WTERMSIG, which are macros.
    case 1: end = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    // Another part of the process has waited for it: how it ended cannot be known.
    default: end = .status(127)
    }
    return end
  }
}

/// A command that cannot be run, or that failed.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
