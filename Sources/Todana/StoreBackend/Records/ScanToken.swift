/// A position in a keyspace, directly after one of its records, from which a later scan continues.
///
/// The token of the last processed record is all that a program has to keep to resume a scan in the order of keys. It
/// can be kept in a file, in a named buffer, or in a reply to a client that asks page by page. It outlives snapshots,
/// backends and processes.
///
/// ```swift
/// var token: ScanToken?
/// let chunk = RecordChunk()
/// let scan = try backend.snapshot().scan(rows: songs, after: token)
/// try scan.next(into: chunk)
/// token = chunk.token(of: songs)
/// ```
///
/// Resumed in the same state, a scan delivers the records that the first scan had not reached. Resumed in a later
/// state, it delivers the records of that state after the position, in their order:
///
/// - A record of both states is delivered exactly once by the two scans together. Its content is the one in the state
///   of the scan that delivers it.
/// - Rows that were inserted between the two states are delivered, as row ids grow. Inserted byte keys are delivered if
///   they come after the position.
/// - Records after the position that were removed between the two states are not delivered. Changes before the position
///   are not seen.
/// - The record from which the token was made may have been removed.
public struct ScanToken: Hashable, Sendable {
  /// The keyspace of the position.
  public let keyspace: KeyspaceID
  let place: Place

  enum Place: Hashable, Sendable {
    case row(RowID)
    case key([UInt8])
  }

  /// Creates the position after a row.
  public init(after rowID: RowID, of keyspace: KeyspaceID) {
    self.keyspace = keyspace
    place = .row(rowID)
  }

  /// Creates the position after a byte key.
  public init(after key: [UInt8], of keyspace: KeyspaceID) {
    self.keyspace = keyspace
    place = .key(key)
  }

  private static let formatVersion: UInt8 = 1

  /// The token as bytes to keep, in the format of `docs/formats/scan-token.md`.
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

  /// Creates a token from its ``bytes``; nil for any other bytes.
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
  /// The token's ``bytes`` as hexadecimal digits.
  public var description: String { Hexadecimal.text(of: bytes) }

  /// Creates a token from its ``description``; nil for any other text.
  public init?(_ description: String) {
    guard let bytes = Hexadecimal.bytes(of: description) else { return nil }
    self.init(bytes: bytes)
  }
}

extension ScanToken: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = ScanToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not a scan token.")
    }
    self = token
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension RecordChunk {
  /// Returns the position after the last record of the chunk; nil if the chunk is empty.
  public func token(of keyspace: KeyspaceID) -> ScanToken? {
    slices.indices.last.map { token(after: $0, of: keyspace) }
  }

  /// Returns the position after the record with an index in ``slices``.
  public func token(after index: Int, of keyspace: KeyspaceID) -> ScanToken {
    let slice = slices[index]
    if slice.keyLength == 0 { return ScanToken(after: slice.rowID, of: keyspace) }
    return ScanToken(after: unsafe [UInt8](arena.bytes[slice.key]), of: keyspace)
  }
}

extension BackendSnapshot {
  /// Opens a scan over a class's rows in the order of row ids, starting after a token or at the first row.
  ///
  /// It is slower than ``scan(_:)``, which reads in the order of the file, but can be resumed (``ScanToken``). A row
  /// whose record cannot be read is a slice with the status *damaged*. If it is unknown which row a damaged place
  /// belongs to, such slices may include rows that do not exist.
  ///
  /// - Complexity: O(*n*) single reads for the rows after the token. If far more row ids were handed out than are in
  ///   use, one additional pass over the keyspace for each million rows.
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

  /// Opens a scan over unordered byte keys in the order of their bytes, starting after a token or at the first key.
  ///
  /// - Complexity: O(*n*) single reads, and one pass over the keyspace for each 1,024 keys; a pass keeps 1,024 keys in
  ///   memory.
  /// - Throws: ``BackendError/Code/invalidArgument`` for a token of another keyspace or kind.
  public func scan(keys keyspace: KeyspaceID, after token: ScanToken?) throws(BackendError) -> any BackendScan {
    OrderedKeyScan(of: keyspace, in: self, after: try token?.key(in: keyspace))
  }

  /// Opens a scan over the keys of a tree within bounds, starting after a token, in the direction of the scan.
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
    // The smallest key after this key.
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
    BackendError(.invalidArgument, "The scan token belongs to another keyspace, or to another kind of scan.")
  }
}
