import Foundation
import Glibc
import Synchronization

/// Handles interruptions: kills the child, removes the scratch files, and exits with status 130.
package enum Interruption {
  private struct State {
    var childProcess: pid_t?
    var scratch: ScratchDirectory?
    var sources: [any DispatchSourceSignal] = []
  }

  private static let state = Mutex(State())

  package static func watch(_ scratch: ScratchDirectory) {
    state.withLock { state in
      state.scratch = scratch
      guard state.sources.isEmpty else { return }
      state.sources = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { end() }
        source.resume()
        return source
      }
    }
  }

  static func setChild(_ process: pid_t?) {
    state.withLock { $0.childProcess = process }
  }

  package static func forgetScratch() {
    state.withLock { $0.scratch = nil }
  }

  private static func end() {
    state.withLock { state in
      if let child = state.childProcess {
        kill(child, SIGKILL)
        // Waits for the child: its writes could prevent the removal of the directory. The other thread reaps it.
        for _ in 0..<200 where kill(child, 0) == 0 { usleep(5_000) }
      }
      state.scratch?.remove()
      Terminal.endProgress()
      FileHandle.standardError.write(Data("Interrupted.\n".utf8))
      exit(130)
    }
  }
}
