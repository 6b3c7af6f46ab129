import ArgumentParser
import Foundation
import Synchronization
import Todana

/// The option for the time to wait for a store, an archive or a series of backups that another process has open.
struct WaitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Time to wait while another process has the store, archive or series open. (default: 0; 300 for 'archive add' "
        + "and 'archive tar import')",
      valueName: "seconds"))
  var wait: Double?

  /// The default wait of commands that often run unattended, as a reader may have the archive open.
  static let unattendedSeconds = 300.0

  func validate() throws {
    if let wait, !(0...1e9).contains(wait) { throw ValidationError("--wait needs a number of seconds, 0 or more.") }
  }

  /// Returns the parameters of waiting for a store, an archive or a series.
  ///
  /// - Parameters:
  ///   - name: The name of the store, archive or series, for messages.
  ///   - defaultSeconds: The seconds to wait if no option sets them.
  /// - Returns: The parameters; see ``Waiting/whileInUse(_:)``.
  func waiting(for name: String, defaultSeconds: Double = 0) -> Waiting {
    Waiting(name: name, seconds: wait ?? defaultSeconds)
  }
}

/// The parameters of waiting for a store, an archive or a series of backups that another process has open.
///
/// While a process writes, no other process can open it. While processes read, none can write.
struct Waiting {
  let name: String
  let seconds: Double

  private static let isQuiet = Atomic(false)

  /// Prints no more messages about waiting, as the user has passed `--quiet`.
  static func becomeQuiet() { isQuiet.store(true, ordering: .relaxed) }

  /// Calls a closure that opens the store, again and again until no other process has it open.
  ///
  /// If it has to wait, it prints a message at once.
  ///
  /// - Parameters:
  ///   - target: The new directory that the closure makes. An error about it does not mean that the store cannot be
  ///     opened.
  ///   - body: Opens the store.
  /// - Returns: The result of the closure.
  /// - Throws: ``CannotOpen``; ``Interrupted``; other errors of the closure.
  func whileInUse<Result>(target: String? = nil, _ body: () throws -> Result) throws -> Result {
    try TypedArguments.checkPath(name)
    let end = ContinuousClock.now + .seconds(seconds)
    var isTold = Self.isQuiet.load(ordering: .relaxed)
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.preventsOpening {
        if let target, Self.isAbout(target, error) { throw error }
        guard let failure = error.backendError, failure.code == .inUse else { throw CannotOpen(error, path: name) }
        guard ContinuousClock.now < end else { throw CannotOpen(inUse: error) }
        if !isTold {
          let holder = failure.processID.map { "process \($0)" } ?? "another process"
          printError("waiting for \(printable(name)), in use by \(holder)")
        }
        isTold = true
        // Wait here, as signals do not end the waiting of the library.
        try Interruption.check()
        usleep(50_000)
      }
    }
  }

  /// Tests whether an error is about a new directory, or about one of the directories above it.
  private static func isAbout(_ target: String, _ error: StoreError) -> Bool {
    guard let failure = error.backendError, failure.code == .noPermission, let file = failure.file else { return false }
    let path = target.replacing(#/\/+$/#, with: "")
    return file == path || file == path + ".partial" || !file.isEmpty && path.hasPrefix(file + "/")
  }
}
