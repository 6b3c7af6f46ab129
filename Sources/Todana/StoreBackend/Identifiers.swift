/// A number that a backend gave to a class, or to another keyspace, for good.
public struct KeyspaceID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (lhs: KeyspaceID, rhs: KeyspaceID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a row within its class: it starts at 1, grows, and is never used again.
public typealias RowID = UInt64

/// The number of a commit: it starts at 1 and grows; a backend may take numbers for housekeeping of its own.
public typealias CommitNumber = UInt64

/// The identity of a store's data: 16 random bytes, given at creation.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
  let bits: RandomID128

  public init(high: UInt64, low: UInt64) { bits = RandomID128(high: high, low: low) }

  public var high: UInt64 { bits.high }
  public var low: UInt64 { bits.low }
  /// 32 hexadecimal digits.
  public var description: String { bits.description }
}

/// The identity of a batch, by which its outcome can be asked for: 16 random bytes.
public struct BatchID: Hashable, Sendable, CustomStringConvertible {
  let bits: RandomID128

  public init(high: UInt64, low: UInt64) { bits = RandomID128(high: high, low: low) }

  /// A new random identity.
  public init() { bits = RandomID128() }

  public var high: UInt64 { bits.high }
  public var low: UInt64 { bits.low }
  /// 32 hexadecimal digits.
  public var description: String { bits.description }
}

/// 16 random bytes, as two numbers.
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

  /// The most significant byte first.
  var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  var description: String { Hexadecimal.text(of: bytes) }
}

/// What a keyspace's keys are and in what order they stand.
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

  /// For people, and the stored name of a class.
  var displayName: String { String(decoding: name.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self) }
}

/// When a save counts as done.
public enum Durability: Int32, Sendable {
  /// On disk before the save returns. Nothing acknowledged is ever lost.
  case full = 0
  /// In order and never torn, on disk within a second: a power failure may lose the last second's saves, wholly.
  case relaxed = 1
  /// In order and never torn, on disk with the next full save, checkpoint or closing: for loading what can be loaded again.
  ///
  /// A power failure may lose all that was saved since, wholly; the end of the process loses nothing.
  case bulk = 2
}

/// What a single key, value or batch may hold; going over is ``BackendError/Code/limitExceeded`` on every backend.
public struct BackendLimits: Sendable {
  /// Bytes of a byte key.
  public var keyByteCount: Int
  /// Bytes of a record, its envelope included.
  public var valueByteCount: Int
  /// Bytes of a keyspace's name.
  public var nameByteCount: Int
  /// Changes of a batch: checks and entries of indexes count, too.
  public var batchChangeCount: Int
  /// Bytes of a batch: keys and values together.
  public var batchByteCount: Int

  /// Takes the limits of keys and names, 1,000 bytes, for all backends: a store can be moved from one to another.
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

/// What was found when a backend was opened.
public struct OpenReport: Sendable, CustomStringConvertible {
  /// Nothing was there, and an empty store was made.
  public var created: Bool
  public var isReadOnly: Bool
  /// The commit whose state was opened.
  public var commitNumber: CommitNumber
  /// Commits that stood only in the log, and were recovered from it.
  public var recoveredCommitCount: Int
  /// What the recovery took.
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
  /// Such as "opened at commit 15, 3 commits recovered in 4 ms, for reading only".
  public var description: String {
    var parts = [created ? "created" : "opened at commit \(commitNumber)"]
    if recoveredCommitCount > 0 {
      let (seconds, attoseconds) = recoveryDuration.components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
      parts.append("\(recoveredCommitCount) commits recovered in \(milliseconds) ms")
    } else if !created {
      parts.append("closed cleanly before")
    }
    if isReadOnly { parts.append("for reading only") }
    return parts.joined(separator: ", ")
  }
}
