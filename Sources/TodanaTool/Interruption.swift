import CProcess
import Foundation
import Synchronization

/// What the user asked for by Ctrl-C, or the system by its signals of the end.
///
/// The first signal is only noted, so that a command ends where it leaves nothing half done; the second one ends the
/// process at once.
enum Interruption {
  private static let isRequested = Atomic(false)

  /// Whether the command is to end.
  static var isPending: Bool { isRequested.load(ordering: .relaxed) }

  /// Throws if the command is to end.
  static func check() throws(Interrupted) {
    if isPending { throw Interrupted() }
  }

  /// Handles the signals that ask the process to end.
  ///
  /// Those that the process was started to ignore stay ignored: `nohup` promises that a closed terminal does not end the
  /// command, and a shell without job control that Ctrl-C does not end what it runs in the background.
  static func listen() {
    // Made here, and not in the handler, which must not wait for anything.
    guard !isPending else { return }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      if Interruption.isRequested.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
    }
    // No call of the system is to fail because of it: a flush that does counts as failed for good.
    action.sa_flags = SA_RESTART
    // Who starts the tool from a thread that has them blocked hands that on.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !tdp_ignores_signal(signal) {
      unsafe sigaction(signal, &action, nil)
      unsafe sigaddset(&signals, signal)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}

/// Ends a command; nothing is lost.
struct Interrupted: Error {
  /// What to do next, if that is not clear.
  var advice: String?
}
