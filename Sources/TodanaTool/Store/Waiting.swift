import ArgumentParser
import Foundation
import Todana

/// How long a command waits for a store, an archive or a series of backups that another process has open.
struct WaitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long to wait while another process has it open: 0 unless said, 300 for `archive add` and `archive tar import`.",
      valueName: "seconds"))
  var wait: Double?

  /// The seconds that commands wait without being told to which often run unattended: a reader may be in their way.
  static let unattendedSeconds = 300.0

  func validate() throws {
    if let wait, !(0...1e9).contains(wait) { throw ValidationError("--wait takes a number of seconds.") }
  }

  /// Puts together how to wait for something.
  ///
  /// - Parameters:
  ///   - name: What is opened, for messages.
  ///   - defaultSeconds: How long to wait if no option says.
  ///   - isQuiet: Whether to say nothing about waiting.
  /// - Returns: A value that calls closures which open it.
  func waiting(for name: String, defaultSeconds: Double = 0, isQuiet: Bool = false) -> Waiting {
    Waiting(name: name, seconds: wait ?? defaultSeconds, isQuiet: isQuiet)
  }
}

/// Waiting for a store, an archive or a series of backups that another process has open.
///
/// While one process writes, no other can open it at all; while others read, none can write.
struct Waiting {
  let name: String
  let seconds: Double
  let isQuiet: Bool

  /// Calls a closure that opens it, until no other process has it open.
  ///
  /// If there is something to wait for, that is said at once.
  ///
  /// - Throws: ``CannotOpen``; ``Interrupted``; what the closure throws for other reasons.
  func whileInUse<Result>(_ body: () throws -> Result) throws -> Result {
    let end = ContinuousClock.now + .seconds(seconds)
    var isTold = isQuiet
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.preventsOpening {
        guard let failure = error.backendError, failure.code == .inUse else { throw CannotOpen(error) }
        guard ContinuousClock.now < end else { throw CannotOpen(inUse: error) }
        if !isTold {
          let holder = failure.processID.map { "process \($0)" } ?? "another process"
          printError("waiting for \(name), in use by \(holder)")
        }
        isTold = true
        // Not the library's own waiting, which signals do not end.
        try Interruption.check()
        usleep(50_000)
      }
    }
  }
}
