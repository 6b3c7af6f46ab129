import Foundation

extension CrashChild {
  /// Takes a lease on a file, as Samba does, and gives it back a moment after another process opens the file, or never.
  static func lease(_ path: String, isKept: Bool) throws {
    // Linux, fcntl.h: not in the C library's headers as Swift sees them.
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
