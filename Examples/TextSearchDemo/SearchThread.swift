import Dispatch
import Foundation
import Synchronization
import Todana

/// A thread that answers searches, always the newest one, with a store of its own.
///
/// A query runs to its end, so it must not block a thread of the tasks. Searches that arrive while it runs replace each
/// other, and only the last one is answered.
final class SearchThread: Sendable {
  private let next = Mutex<Search?>(nil)
  private let arrivals = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - backend: The backend of the lines.
  ///   - steps: The queries that answer a search; those that are left when a newer one arrives are skipped.
  ///   - report: Called with the message of an error.
  init(
    backend: any StoreBackend, steps: [@Sendable (Store, Search) throws -> Void],
    report: @escaping @Sendable (Search, String) -> Void
  ) {
    // The thread has the search thread until the process ends.
    Thread.detachNewThread { [self] in
      // Opening over a backend that is open reads no files.
      var store: Store?
      while true {
        let search = wait()
        do {
          let opened = try store ?? Store(backend: backend, classes: [Line.self])
          store = opened
          for step in steps where !isOutdated { try step(opened, search) }
        } catch {
          report(search, "\(error)")
        }
      }
    }
  }

  /// Replaces the search that waits.
  func answer(_ search: Search) {
    next.withLock { $0 = search }
    arrivals.signal()
  }

  /// Whether a newer search waits.
  private var isOutdated: Bool { next.withLock { $0 != nil } }

  private func wait() -> Search {
    while true {
      arrivals.wait()
      if let search = next.withLock({ $0.take() }) { return search }
    }
  }
}
