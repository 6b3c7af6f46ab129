internal import CSealing
internal import CStorageEngine

/// What is told of a damaged store while it is salvaged (`tdn_salvage_visitor`), in the thread that salvages.
protocol SalvageVisitor: AnyObject {
  /// Comes first; the identity is nil where the superblock is damaged, the ring where the store is not encrypted.
  func beginStore(id: StoreID?, keyRing: KeyRing?, mayBePlain: Bool)
  /// Something beside records was lost.
  func noteLoss(_ sentence: String)
  /// The records that follow are of this keyspace.
  func beginKeyspace(_ keyspace: SalvagedKeyspace)
  /// Whether the bytes are a record; `key` is empty for rows. They may come again.
  func take(_ record: SalvagedRecord) -> SalvageAnswer
  func noteDamage(rowID: RowID?, byteCount: Int)
  /// False gives up.
  func report(done: Int, total: Int) -> Bool
}

enum SalvageAnswer {
  case take, refuse, stop
}

/// A keyspace of a damaged store, as far as it is known.
struct SalvagedKeyspace {
  var id: KeyspaceID?
  /// Nil for rows or keys: then each record may come as either.
  var kind: KeyspaceKind?
  var name: [UInt8]
  /// Otherwise it is what the file's name has of it.
  var isNameKnown: Bool
  var nextRowID: RowID
  var recordCount: Int?
  var file: String
}

/// Bytes that may be a record, for the length of a call.
@safe
struct SalvagedRecord {
  var rowID: RowID
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer
  /// The checksums of all pages that it stands on match.
  var isVouchedFor: Bool
}

enum KyotoSalvage {
  /// Visits everything that can be found in a store's directory (`tdn_salvage`).
  ///
  /// - Throws: ``BackendError/Code/interrupted`` where the visitor gave up; ``BackendError/Code/notFound``,
  ///   ``BackendError/Code/notAStore``, ``BackendError/Code/inUse``, ``BackendError/Code/newerFormat``, ``BackendError/Code/olderFormat``,
  ///   ``BackendError/Code/wrongKey``, ``BackendError/Code/keyRequired``, ``BackendError/Code/damagedKeys``.
  static func run(_ path: String, secret: StoreSecret?, _ visitor: any SalvageVisitor) throws(BackendError) {
    guard !path.utf8.contains(0) else {
      throw BackendError(.invalidArgument, "The path of the store contains a NUL, where it would end for the system.")
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

/// What C passes on: a pointer must lead to one object, and a visitor is an existential.
private final class Context {
  let visitor: any SalvageVisitor

  init(_ visitor: any SalvageVisitor) { self.visitor = visitor }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> any SalvageVisitor {
    // `run` always passes one, and keeps it until C returns.
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
