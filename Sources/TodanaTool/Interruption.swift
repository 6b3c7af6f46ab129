import CProcess
import Foundation
import Synchronization

/// The request to end the command, by Ctrl-C or by a signal of the system.
///
/// The first signal is only noted, so that the command ends without leaving work half done. The second one ends the
/// process at once.
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
  /// Signals that the process was started to ignore stay ignored. `nohup` relies on that when a terminal is closed, and
  /// a shell without job control when Ctrl-C must not end background commands.
  static func listen() {
    // Initialize the flag here: lazy initialization may wait for a lock, which a signal handler must not do.
    guard !isPending else { return }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      if Interruption.isRequested.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
    }
    // Restart interrupted system calls: a flush that has failed counts as failed permanently.
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
