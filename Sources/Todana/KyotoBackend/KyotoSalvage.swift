internal import CSealing
internal import CStorageEngine

/// The receiver of the contents of a damaged store (`tdn_salvage_visitor`), called in the thread that salvages.
protocol SalvageVisitor: AnyObject {
  /// Begins the store, before any other call.
  ///
  /// The identity is nil if the superblock is damaged. The ring is nil if the store is not encrypted.
  func beginStore(id: StoreID?, keyRing: KeyRing?, mayBePlain: Bool)
  /// Notes a loss other than records.
  func noteLoss(_ sentence: String)
  /// Begins a keyspace; the following records belong to it.
  func beginKeyspace(_ keyspace: SalvagedKeyspace)
  /// Decides whether the bytes are a record; the same record may come again.
  func take(_ record: SalvagedRecord) -> SalvageAnswer
  func noteDamage(rowID: RowID?, byteCount: Int)
  /// Reports progress; returning false gives up.
  func report(done: Int, total: Int) -> Bool
}

enum SalvageAnswer {
  case take, refuse, stop
}

/// The known facts of a keyspace in a damaged store.
struct SalvagedKeyspace {
  var id: KeyspaceID?
  /// The kind of the keyspace; nil for rows or keys, then each record may be passed as either.
  var kind: KeyspaceKind?
  var name: [UInt8]
  /// Whether the name is complete; if false, it is the part that the file's name contains.
  var isNameKnown: Bool
  var nextRowID: RowID
  var recordCount: Int?
  var file: String
}

/// A possible record; its bytes are valid during the call.
@safe
struct SalvagedRecord {
  var rowID: RowID
  /// The byte key; empty for rows.
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer
  /// Whether the checksums of all pages of the record match.
  var isVouchedFor: Bool
}

enum KyotoSalvage {
  /// Passes everything that can be found in a store's directory to the visitor (`tdn_salvage`).
  ///
  /// - Throws: ``BackendError/Code/interrupted`` if the visitor gave up; ``BackendError/Code/notFound``,
  ///   ``BackendError/Code/notAStore``, ``BackendError/Code/inUse``, ``BackendError/Code/newerFormat``,
  ///   ``BackendError/Code/olderFormat``, ``BackendError/Code/wrongKey``, ``BackendError/Code/keyRequired``,
  ///   ``BackendError/Code/damagedKeys``.
  static func run(_ path: String, secret: StoreSecret?, _ visitor: any SalvageVisitor) throws(BackendError) {
    guard !path.utf8.contains(0) else {
      throw BackendError(.invalidArgument, "The path of the store contains a NUL character.")
    }
    var error = tdn_error()
    let context = Context(visitor)
    var functions = unsafe tdn_salvage_visitor(
      context: Unmanaged.passUnretained(context).toOpaque(),
      store: { unsafe Context.of($0).beginStore($1.pointee) },
      loss: { unsafe Context.of($0).noteLoss(String(cString: $1)) },
      keyspace: { unsafe Context.of($0).beginKeyspace(SalvagedKeyspace($1.pointee)) },
      record: { unsafe Context.of($0).take(SalvagedRecord($1.pointee)).cValue },
      damage: { unsafe Context.of($0).noteDamage($1.pointee) },
      progress: { unsafe Context.of($0).report(done: Int(clamping: $1), total: Int(clamping: $2)) })
    let isDone = withExtendedLifetime(context) {
      unsafe path.withCString { path in
        guard let secret else { return unsafe tdn_salvage(path, nil, &functions, &error) }
        return unsafe secret.withBytes { unsafe tdn_salvage(path, $0, &functions, &error) }
      }
    }
    guard isDone else { throw unsafe BackendError(&error) }
  }
}

/// The context for C, as a pointer must refer to one object, and a visitor is an existential.
private final class Context {
  let visitor: any SalvageVisitor

  init(_ visitor: any SalvageVisitor) { self.visitor = visitor }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> any SalvageVisitor {
    // `run` always passes a context, and keeps it until C returns.
    guard let pointer = unsafe pointer else { preconditionFailure("C lost the visitor") }
    return unsafe Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue().visitor
  }
}

extension SalvageVisitor {
  fileprivate func beginStore(_ store: tdn_salvage_store) {
    let ring = unsafe store.key_ring.flatMap { unsafe tds_key_ring_retain($0) }.map { unsafe KeyRing($0) }
    beginStore(
      id: unsafe store.has_store_id ? StoreID(store.store_id) : nil, keyRing: ring,
      mayBePlain: unsafe store.may_be_plain)
  }

  fileprivate func noteDamage(_ damage: tdn_salvage_damage) {
    noteDamage(rowID: damage.has_row ? damage.row : nil, byteCount: Int(clamping: damage.byte_count))
  }
}

extension SalvageAnswer {
  fileprivate var cValue: tdn_salvage_answer {
    switch self {
    case .take: TDN_SALVAGE_TAKE
    case .refuse: TDN_SALVAGE_REFUSE
    case .stop: TDN_SALVAGE_STOP
    }
  }
}

extension SalvagedKeyspace {
  fileprivate init(_ keyspace: tdn_salvage_keyspace) {
    id = unsafe keyspace.id == 0 ? nil : KeyspaceID(rawValue: keyspace.id)
    kind = unsafe KeyspaceKind(rawValue: keyspace.kind)
    name = unsafe Array(UnsafeBufferPointer(start: keyspace.name, count: keyspace.name_length))
    isNameKnown = unsafe keyspace.is_name_known
    nextRowID = unsafe keyspace.next_row
    recordCount = unsafe keyspace.record_count == UInt64.max ? nil : Int(clamping: keyspace.record_count)
    file = unsafe String(cString: keyspace.file)
  }
}

extension SalvagedRecord {
  fileprivate init(_ record: tdn_salvage_record) {
    rowID = unsafe record.row
    unsafe key = UnsafeRawBufferPointer(start: record.key, count: record.key_length)
    unsafe value = UnsafeRawBufferPointer(start: record.value, count: record.value_length)
    isVouchedFor = unsafe record.is_vouched_for
  }
}
