import Foundation
import Todana

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
