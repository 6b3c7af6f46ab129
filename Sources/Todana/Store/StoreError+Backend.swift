// The one place that turns a backend's errors into the store's.
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
      default: .backend
      }
    self.init(
      code, error.message, className: className, rowID: rowID ?? error.rowID, underlying: error)
  }

  /// The backend's error underneath, if it is one.
  public var backendError: BackendError? { underlying as? BackendError }
}

extension StoreError {
  /// A record whose envelope cannot be opened.
  init(_ error: RecordEnvelopeError, className: String, rowID: RowID) {
    switch error {
    case .unknownEpoch:
      self.init(
        .unknownKeyEpoch,
        "The record is encrypted with a key that the store's file of keys does not have. Restore that file.",
        className: className, rowID: rowID, underlying: error)
    case .sealingFailed:
      self.init(.backend, "The record could not be decrypted.", className: className, rowID: rowID, underlying: error)
    default:
      self.init(
        .damagedRecord, "The record is damaged. Restore it from a backup, or delete it by its identity.",
        className: className, rowID: rowID, underlying: error)
    }
  }
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

  /// Reads or writes records, sealed on the way, and translates what it throws.
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

  /// Calls what only a storage engine offers, and translates what it throws.
  ///
  /// - Parameters:
  ///   - service: A noun for the message of the error.
  ///   - body: Gets the engine.
  /// - Returns: What `body` returns.
  /// - Throws: ``StoreError/Code/notSupported`` if the backend is none.
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

  /// Translates a backend's error, and remembers it where it concerns every store of the backend.
  func translate(_ error: BackendError) -> StoreError {
    if error.code == .mustReopen { session.noteFailure() }
    return StoreError(error, className: error.keyspace.flatMap { registry.className(of: $0) })
  }
}
