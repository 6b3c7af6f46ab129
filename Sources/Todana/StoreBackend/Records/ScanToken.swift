/// A place in a keyspace, right behind one of its records, from which a later scan goes on.
///
/// A scan in the order of keys delivers records; a token for the last one that was dealt with is all that has to be
/// kept, in a file, in a named buffer, or in the answer to a client that asks page by page. It outlives snapshots,
/// backends and programs.
///
/// ```swift
/// var token: ScanToken?
/// let chunk = RecordChunk()
/// let scan = try backend.snapshot().scan(rows: songs, after: token)
/// try scan.next(into: chunk)
/// token = chunk.token(of: songs)
/// ```
///
/// Resumed in the same state, a scan delivers what the first one had left. Resumed in a later state it delivers what
/// that state holds behind the place, in its order:
///
/// - A record that is there in both states is delivered once by the two scans together, never twice and never not at
///   all, as it is in the state of the scan that delivers it.
/// - Rows that were inserted since are delivered, as row ids grow; inserted byte keys are if they stand behind the place.
/// - Records that were removed behind the place are not delivered. What happened before the place is not seen.
/// - The record that the token was made from need not be there any more.
public struct ScanToken: Hashable, Sendable {
  /// The keyspace that the place is in.
  public let keyspace: KeyspaceID
  let place: Place

  enum Place: Hashable, Sendable {
    case row(RowID)
    case key([UInt8])
  }

  /// The place behind a row.
  public init(after rowID: RowID, of keyspace: KeyspaceID) {
    self.keyspace = keyspace
    place = .row(rowID)
  }

  /// The place behind a byte key.
  public init(after key: [UInt8], of keyspace: KeyspaceID) {
    self.keyspace = keyspace
    place = .key(key)
  }

  private static let formatVersion: UInt8 = 1

  /// The token as bytes, to be kept; `docs/formats/scan-token.md` says what they are.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = [Self.formatVersion]
    switch place {
    case .row: bytes.append(1)
    case .key: bytes.append(2)
    }
    for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: keyspace.rawValue >> shift))
    }
    switch place {
    case .row(let rowID):
      for shift in stride(from: 0 as RowID, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: rowID >> shift)) }
    case .key(let key): bytes += key
    }
    return bytes
  }

  /// Reads what ``bytes`` gave; nil for anything else.
  public init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count >= 6, bytes[0] == Self.formatVersion else { return nil }
    let number = bytes[2..<6].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    keyspace = KeyspaceID(rawValue: number)
    switch bytes[1] {
    case 1:
      guard bytes.count == 14 else { return nil }
      place = .row(bytes[6...].reversed().reduce(0) { $0 << 8 | RowID($1) })
    case 2:
      guard bytes.count > 6 else { return nil }
      place = .key(Array(bytes[6...]))
    default: return nil
    }
  }
}

extension ScanToken: LosslessStringConvertible {
  /// The token's ``bytes`` in hexadecimal digits.
  public var description: String { Hexadecimal.text(of: bytes) }

  /// Reads what ``description`` gives; nil for anything else.
  public init?(_ description: String) {
    guard let bytes = Hexadecimal.bytes(of: description) else { return nil }
    self.init(bytes: bytes)
  }
}

extension ScanToken: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = ScanToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not a token of a scan.")
    }
    self = token
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension RecordChunk {
  /// The place behind the last record that was read; nil if none was.
  public func token(of keyspace: KeyspaceID) -> ScanToken? {
    slices.indices.last.map { token(after: $0, of: keyspace) }
  }

  /// The place behind a record, by its index in ``slices``.
  public func token(after index: Int, of keyspace: KeyspaceID) -> ScanToken {
    let slice = slices[index]
    if slice.keyLength == 0 { return ScanToken(after: slice.rowID, of: keyspace) }
    return ScanToken(after: unsafe [UInt8](arena.bytes[slice.key]), of: keyspace)
  }
}

extension BackendSnapshot {
  /// A scan over a class's rows in the order of their numbers, from behind a token, or from the first.
  ///
  /// Slower than ``scan(_:)``, which reads in the order of the file, but it can be resumed (``ScanToken``). A row whose
  /// record cannot be read is a slice with the status *damaged*; where it is not known which row a damaged place
  /// belongs to, rows that do not exist may be among them.
  ///
  /// - Complexity: O(*n*) single reads, for rows behind the token. Where far more row ids were handed out than are in
  ///   use, one pass over the keyspace more for each million rows.
  /// - Throws: ``BackendError/Code/invalidArgument`` for a token of another keyspace or kind.
  public func scan(rows keyspace: KeyspaceID, after token: ScanToken?) throws(BackendError) -> any BackendScan {
    var first: RowID = 1
    if let token {
      guard token.keyspace == keyspace, case .row(let rowID) = token.place else { throw .foreignToken }
      if rowID == .max { return EmptyScan() }
      first = rowID + 1
    }
    return OrderedRowScan(
      of: keyspace, in: self, from: first, bound: try rowIDBound(of: keyspace))
  }

  /// A scan over byte keys that have no order of their own in the order of their bytes, from behind a token, or from the
  /// first.
  ///
  /// - Complexity: O(*n*) single reads, and one pass over the keyspace for each 1,024 keys; takes memory for so many.
  /// - Throws: ``BackendError/Code/invalidArgument`` for a token of another keyspace or kind.
  public func scan(keys keyspace: KeyspaceID, after token: ScanToken?) throws(BackendError) -> any BackendScan {
    OrderedKeyScan(of: keyspace, in: self, after: try token?.key(in: keyspace))
  }

  /// A scan over the keys of a tree within bounds, from behind a token on, in the direction of the scan.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` for a token of another keyspace or kind.
  public func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool, after token: ScanToken?
  ) throws(BackendError) -> any BackendScan {
    guard let key = try token?.key(in: tree) else {
      return try scan(tree: tree, from: lower, to: upper, descending: descending)
    }
    if descending {
      let upper = upper.map { $0.lexicographicallyPrecedes(key) ? $0 : key } ?? key
      return try scan(tree: tree, from: lower, to: upper, descending: true)
    }
    // The least key that comes after this one.
    let next = key + [0]
    let lower = lower.map { next.lexicographicallyPrecedes($0) ? $0 : next } ?? next
    return try scan(tree: tree, from: lower, to: upper, descending: false)
  }

  public func rowIDBound(of keyspace: KeyspaceID) throws(BackendError) -> RowID? { nil }
}

extension ScanToken {
  fileprivate func key(in keyspace: KeyspaceID) throws(BackendError) -> [UInt8] {
    guard self.keyspace == keyspace, case .key(let key) = place else { throw .foreignToken }
    return key
  }
}

extension BackendError {
  fileprivate static var foreignToken: BackendError {
    BackendError(.invalidArgument, "The token is of another keyspace, or of a scan of another kind.")
  }
}
