/// The permanent number that a backend assigned to a keyspace, such as that of a class.
public struct KeyspaceID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (lhs: KeyspaceID, rhs: KeyspaceID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a row within its class: numbers start at 1, grow, and are never used again.
public typealias RowID = UInt64

/// The number of a commit: numbers start at 1 and grow.
///
/// A backend may use numbers for its own housekeeping, which leaves gaps.
public typealias CommitNumber = UInt64

/// The identity of a store's data: 16 random bytes, assigned at creation.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
  let bits: RandomID128

  public init(high: UInt64, low: UInt64) { bits = RandomID128(high: high, low: low) }

  public var high: UInt64 { bits.high }
  public var low: UInt64 { bits.low }
  /// The identity as 32 hexadecimal digits.
  public var description: String { bits.description }
}

/// The identity of a batch, with which its outcome can be queried: 16 random bytes.
public struct BatchID: Hashable, Sendable, CustomStringConvertible {
  let bits: RandomID128

  public init(high: UInt64, low: UInt64) { bits = RandomID128(high: high, low: low) }

  /// Creates a random identity.
  public init() { bits = RandomID128() }

  public var high: UInt64 { bits.high }
  public var low: UInt64 { bits.low }
  /// The identity as 32 hexadecimal digits.
  public var description: String { bits.description }
}

/// A random identity of 16 bytes, as two numbers.
struct RandomID128: Hashable, Sendable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init() {
    var generator = SystemRandomNumberGenerator()
    self.init(high: generator.next(), low: generator.next())
  }

  /// The 16 bytes, the most significant first.
  var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  var description: String { Hexadecimal.text(of: bytes) }
}

/// The kind and order of a keyspace's keys.
public enum KeyspaceKind: Int32, Sendable {
  /// Records of a class, by row id, in no order.
  case rows = 1
  /// Records by byte key, in no order: the named buffers.
  case keys = 2
  /// Records by byte key, in the order of the keys' bytes.
  case tree = 3
}

/// A keyspace of a backend, as its catalog lists it.
public struct Keyspace: Sendable {
  public let id: KeyspaceID
  public let kind: KeyspaceKind
  public let name: [UInt8]

  public init(id: KeyspaceID, kind: KeyspaceKind, name: [UInt8]) {
    self.id = id
    self.kind = kind
    self.name = name
  }

  /// The name as text, for messages and as the stored name of a class; zero bytes are shown as spaces.
  var displayName: String { String(decoding: name.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self) }
}

/// The point at which a save counts as done.
public enum Durability: Int32, Sendable {
  /// On disk before the save returns; no acknowledged save is ever lost.
  case full = 0
  /// In order and never torn, on disk within a second.
  ///
  /// A power failure may lose all saves of the last second, each entirely.
  case relaxed = 1
  /// In order and never torn, on disk with the next full save, checkpoint or closing.
  ///
  /// Suitable for data that can be loaded again. A power failure may lose all saves since then, each entirely; the end
  /// of the process loses none.
  case bulk = 2
}

/// The largest key, value and batch of a backend; exceeding one is ``BackendError/Code/limitExceeded`` on every
/// backend.
public struct BackendLimits: Sendable {
  /// The maximum number of bytes of a byte key.
  public var keyByteCount: Int
  /// The maximum number of bytes of a record, its envelope included.
  public var valueByteCount: Int
  /// The maximum number of bytes of a keyspace's name.
  public var nameByteCount: Int
  /// The maximum number of changes of a batch; checks and entries of indexes count as well.
  public var batchChangeCount: Int
  /// The maximum number of bytes of a batch: keys and values together.
  public var batchByteCount: Int

  /// Creates limits.
  ///
  /// By default keys and names may have 1,000 bytes on all backends, so that a store can be moved from one to another.
  public init(
    keyByteCount: Int = 1000, valueByteCount: Int, nameByteCount: Int = 1000, batchChangeCount: Int,
    batchByteCount: Int
  ) {
    self.keyByteCount = keyByteCount
    self.valueByteCount = valueByteCount
    self.nameByteCount = nameByteCount
    self.batchChangeCount = batchChangeCount
    self.batchByteCount = batchByteCount
  }
}

/// The report of an opening of a backend.
public struct OpenReport: Sendable, CustomStringConvertible {
  /// Whether there was no store, and an empty one was created.
  public var created: Bool
  public var isReadOnly: Bool
  /// The commit whose state was opened.
  public var commitNumber: CommitNumber
  /// The number of commits that only the log contained, and that were recovered from it.
  public var recoveredCommitCount: Int
  /// The duration of the recovery.
  public var recoveryDuration: Duration
  public var formatVersion: Int

  public init(
    created: Bool, isReadOnly: Bool, commitNumber: CommitNumber, recoveredCommitCount: Int,
    recoveryDuration: Duration, formatVersion: Int
  ) {
    self.created = created
    self.isReadOnly = isReadOnly
    self.commitNumber = commitNumber
    self.recoveredCommitCount = recoveredCommitCount
    self.recoveryDuration = recoveryDuration
    self.formatVersion = formatVersion
  }
  /// The report as text, such as "opened at commit 15, 3 commits recovered in 4 ms, read-only".
  public var description: String {
    var parts = [created ? "created" : "opened at commit \(commitNumber)"]
    if recoveredCommitCount > 0 {
      let (seconds, attoseconds) = recoveryDuration.components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
      parts.append("\(recoveredCommitCount) commits recovered in \(milliseconds) ms")
    } else if !created {
      parts.append("closed cleanly")
    }
    if isReadOnly { parts.append("read-only") }
    return parts.joined(separator: ", ")
  }
}
