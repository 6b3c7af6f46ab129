import CFaults
import Foundation

extension CrashChild {
  /// Takes a lease on a file, as Samba does.
  ///
  /// When another process opens the file, gives the lease back after a moment, or never if `isKept`.
  static func lease(_ path: String, isKept: Bool) throws {
    // F_SETLEASE of Linux, which Swift does not import.
    let setLease: Int32 = 1024
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGIO)
    unsafe sigprocmask(SIG_BLOCK, &signals, nil)
    let file = unsafe open(path, O_RDWR)
    guard file >= 0, fcntl(file, setLease, Int32(F_WRLCK)) == 0 else {
      return report("skip: no lease on this file system: \(errno)")
    }
    report("leased")
    var signal: Int32 = 0
    unsafe sigwait(&signals, &signal)
    if isKept {
      report("asked")
    } else {
      usleep(20_000)
      report(fcntl(file, setLease, Int32(F_UNLCK)) == 0 ? "returned" : "error: \(errno)")
    }
    while readLine() != nil {}
  }
}
