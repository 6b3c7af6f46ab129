import Synchronization
import Todana

/// A fault that makes one call of a backend fail, among calls of all kinds.
final class CallFaults: Sendable {
  private let fault = Mutex<(remainingCalls: Int, error: BackendError)?>(nil)

  func fail(after count: Int, with error: BackendError) { fault.withLock { $0 = (count, error) } }

  func clear() -> Bool {
    fault.withLock { fault in
      defer { fault = nil }
      return fault != nil
    }
  }

  /// Counts a call, and throws the error if this call is the one to fail.
  func pass() throws(BackendError) {
    let error: BackendError? = fault.withLock { fault in
      guard let (count, error) = fault else { return nil }
      fault = count == 0 ? nil : (count - 1, error)
      return count == 0 ? error : nil
    }
    if let error { throw error }
  }
}
