import CProcess
import Foundation
import Synchronization

/// The request to end the command, by Ctrl-C or by a signal of the system.
///
/// The first signal only sets a flag, so that the command ends without leaving work half done. The second signal ends
/// the process at once.
enum Interruption {
  private static let isRequested = Atomic(false)

  /// Whether the command has to end.
  static var isPending: Bool { isRequested.load(ordering: .relaxed) }

  /// Throws if the command has to end.
  static func check() throws(Interrupted) {
    if isPending { throw Interrupted() }
  }

  /// Handles the signals that ask the process to end.
  ///
  /// Signals that were ignored when the process was started stay ignored. `nohup` relies on this if the terminal is
  /// closed. A shell without job control relies on it so that Ctrl-C does not end background commands.
  static func listen() {
    // Initialize the flag here: lazy initialization may wait for a lock, which a signal handler must not do.
    guard !isPending else { return }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      if Interruption.isRequested.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
    }
    // Restart interrupted system calls: the store could not continue after an interrupted flush, as it treats each
    // failed flush as permanent.
    action.sa_flags = SA_RESTART
    // Unblock the signals, which may be blocked in the thread that has started the process.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !tdp_ignores_signal(signal) {
      unsafe sigaction(signal, &action, nil)
      unsafe sigaddset(&signals, signal)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}

/// The error that ends an interrupted command; no data are lost.
struct Interrupted: Error {
  /// The next step for the user, if it is not obvious.
  var advice: String?
}
