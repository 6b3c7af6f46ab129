// The one place that turns a backend's errors into the store's.
extension StoreError {
  init(_ error: BackendError, className: String? = nil, rowID: RowID? = nil) {
    let code: Code =
      switch error.code {
      case .mustReopen: .mustReopen
      case .closed: .closed
      case .readOnly: .readOnly
      case .damaged: .damagedRecord
      default: .backend
      }
    self.init(
      code, error.message, className: className, rowID: rowID ?? error.rowID, underlying: error)
  }

  /// The backend's error underneath, if it is one.
  public var backendError: BackendError? { underlying as? BackendError }
}

extension Store {
  /// Calls the backend and translates what it throws.
  @inline(__always)
  func onBackend<Result: ~Copyable>(
    _ body: (any StoreBackend) throws(BackendError) -> Result
  ) throws(StoreError) -> Result {
    do throws(BackendError) {
      return try body(backend)
    } catch {
      throw translate(error)
    }
  }

  /// Translates a backend's error, and remembers it where it concerns every store of the backend.
  func translate(_ error: BackendError) -> StoreError {
    if error.code == .mustReopen { session.noteFailure() }
    return StoreError(error, className: error.structure.flatMap { registry[$0]?.name })
  }
}
