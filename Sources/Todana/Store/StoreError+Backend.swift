// The only place that translates errors of the backend into errors of the store.
extension StoreError {
  init(_ error: BackendError, className: String? = nil, rowID: RowID? = nil) {
    let code: Code =
      switch error.code {
      case .mustReopen: .mustReopen
      case .closed: .closed
      case .readOnly: .readOnly
      case .damaged: .damagedRecord
      case .wrongKey: .wrongKey
      case .keyRequired: .keyRequired
      case .notEncrypted: .notEncrypted
      case .damagedKeySlot, .damagedKeys: .damagedKeys
      case .unknownKeyEpoch: .unknownKeyEpoch
      case .contentsDoNotMatchDigest: .contentsDoNotMatchDigest
      case .rolledBack: .rolledBack
      case .diverged: .diverged
      case .migrationUnfinished: .migrationUnfinished
      case .notSupported: .notSupported
      case .usedAfterFork: .usedAfterFork
      default: .backend
      }
    self.init(
      code, error.message, className: className, rowID: rowID ?? error.rowID, underlying: error)
  }

  /// The underlying error, if it is a backend's.
  public var backendError: BackendError? { underlying as? BackendError }
}

extension StoreError {
  /// Creates the error for a record whose envelope cannot be opened.
  init(_ error: RecordEnvelopeError, className: String, rowID: RowID) {
    switch error {
    case .unknownEpoch:
      self.init(
        .unknownKeyEpoch,
        "The record is encrypted with a key that is not in the store's file of keys. Restore a newer copy of the file.",
        className: className, rowID: rowID, underlying: error)
    case .sealingFailed:
      self.init(.backend, "The record could not be decrypted.", className: className, rowID: rowID, underlying: error)
    default:
      self.init(
        .damagedRecord, "The record is damaged. Restore a backup, or delete the object by its id.",
        className: className, rowID: rowID, underlying: error)
    }
  }
}

extension Store {
  /// Calls the backend and translates its errors.
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

  /// Calls the backend through the sealing layer, to read or write records, and translates its errors.
  @inline(__always)
  func onRecords<Result: ~Copyable>(
    _ body: (RecordSealing) throws(BackendError) -> Result
  ) throws(StoreError) -> Result {
    do throws(BackendError) {
      return try body(sealing)
    } catch {
      throw translate(error)
    }
  }

  /// Calls an operation that only storage engines offer, and translates its errors.
  ///
  /// - Parameters:
  ///   - service: A noun for the error message.
  ///   - body: The call; it receives the engine.
  /// - Returns: The result of `body`.
  /// - Throws: ``StoreError/Code/notSupported`` if the backend is not a storage engine.
  func onEngine<Result: ~Copyable>(
    _ service: String, _ body: (any EngineOperations) throws(BackendError) -> Result
  ) throws(StoreError) -> Result {
    guard let engine = backend.operations else { throw translate(.notSupported(service)) }
    do throws(BackendError) {
      return try body(engine)
    } catch {
      throw translate(error)
    }
  }

  /// Translates a backend's error, and records a failed flush in the session, as it concerns every store of the
  /// backend.
  func translate(_ error: BackendError) -> StoreError {
    if error.code == .mustReopen { session.noteFailure() }
    return StoreError(error, className: error.keyspace.flatMap { registry.className(of: $0) })
  }
}
