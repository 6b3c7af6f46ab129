public import Todana

/// Commits that depend only on their number, so that a second process knows the state after each one.
///
/// Commit *n* inserts and removes a row, replaces another, and writes a named key. It adds a key to a tree and removes
/// an old one. It expects the tree to have no more keys than the earlier commits left. It adds a key that begins with
/// the commit number to another tree. Every 25th commit is large. Every tenth replaces a third tree by a tree that was
/// loaded separately.
///
/// Nothing is random: after *n* commits the store holds ``State/init(after:)``.
public struct CrashWorkload {
  public enum Part: Int, CaseIterable, Sendable {
    case songs
    case playlists
    case names
    case index
    /// A tree whose keys are given here without the commit number.
    case history
    case loaded
  }

  /// One change: a new value under a key, or a removal.
  public struct Change: Sendable {
    public let part: Part
    /// The key; for rows the eight bytes of the row id.
    public let key: [UInt8]
    public let value: [UInt8]?
  }

  /// The contents of the store, by part and key.
  public struct State: Equatable, Sendable {
    public private(set) var records: [[[UInt8]: [UInt8]]]

    /// Creates the state after `commitCount` commits.
    public init(after commitCount: UInt64) {
      records = Part.allCases.map { _ in [:] }
      for number in 0..<commitCount { apply(number + 1) }
    }

    public mutating func apply(_ number: UInt64) {
      for change in CrashWorkload.changes(of: number) { records[change.part.rawValue][change.key] = change.value }
      if number % 10 == 0 {
        records[Part.loaded.rawValue] = Dictionary(uniqueKeysWithValues: CrashWorkload.loaded(for: number))
      }
    }

    /// Reads the state that a snapshot of a backend holds.
    ///
    /// - Throws: An error of the scans, or `damaged` if a count is not the number of records.
    public init(of snapshot: any BackendSnapshot, _ keyspaces: Keyspaces) throws(BackendError) {
      var records: [[[UInt8]: [UInt8]]] = []
      for part in Part.allCases {
        var found: [[UInt8]: [UInt8]] = [:]
        guard let keyspace = try part == .loaded ? keyspaces.loaded() : keyspaces[part] else {
          records.append([:])
          continue
        }
        let scan = try snapshot.scan(keyspace)
        if part == .songs || part == .playlists {
          for (row, value) in try scan.remainingRows() { found[bigEndianBytes(row)] = value }
        } else {
          let keyStart = part == .history ? 8 : 0
          for (key, value) in try scan.remainingKeys() { found[Array(key[keyStart...])] = value }
        }
        guard try snapshot.count(of: keyspace) == found.count else {
          throw BackendError(.damaged, "The count of \(part) is not the number of its records.")
        }
        records.append(found)
      }
      self.records = records
    }

    /// The number of the latest commit, which is stored among the names.
    public var commitCount: UInt64 {
      let latest = records[Part.names.rawValue][latestKey] ?? []
      return latest.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The ids of the keyspaces of a backend.
  public struct Keyspaces: Sendable {
    private let ids: [KeyspaceID]
    private let backend: any StoreBackend
    fileprivate static let loadedName = Array("Song.loaded".utf8)

    public init(of backend: any StoreBackend) throws(BackendError) {
      ids = [
        try backend.keyspaceID(of: .rows, named: Array("Song".utf8)),
        try backend.keyspaceID(of: .rows, named: Array("Playlist".utf8)),
        try backend.keyspaceID(of: .keys, named: Array("names".utf8)),
        try backend.keyspaceID(of: .tree, named: Array("Song.title".utf8)),
        try backend.keyspaceID(of: .tree, named: Array("Song.history".utf8)),
      ]
      self.backend = backend
    }

    /// Returns the tree that every tenth commit replaces, or nil before it is made.
    public func loaded() throws(BackendError) -> KeyspaceID? {
      try backend.keyspaces().first { $0.kind == .tree && $0.name == Self.loadedName }?.id
    }

    public subscript(part: Part) -> KeyspaceID { ids[part.rawValue] }
  }

  /// Returns the changes of a commit; commits count from 1.
  public static func changes(of number: UInt64) -> [Change] {
    let byteCount = number % 17 == 0 ? 20_000 : Int(number % 400)
    var changes = [
      Change(part: .songs, key: bigEndianBytes(number), value: patternedBytes(number, count: byteCount)),
      Change(
        part: .playlists, key: bigEndianBytes(number % 30 + 1),
        value: patternedBytes(number, count: 8 + Int(number % 90))),
      Change(part: .names, key: latestKey, value: bigEndianBytes(number)),
      Change(part: .index, key: treeKey(number), value: []),
      Change(part: .history, key: bigEndianBytes(number), value: patternedBytes(number)),
    ]
    if number > 40 { changes.append(Change(part: .songs, key: bigEndianBytes(number - 40), value: nil)) }
    if number > 60 { changes.append(Change(part: .index, key: treeKey(number - 60), value: nil)) }
    if number % 25 == 0 {
      for row in 1000..<1060 as Range<RowID> {
        let value = patternedBytes(number ^ row, count: 3_000)
        changes.append(Change(part: .playlists, key: bigEndianBytes(row), value: value))
      }
    }
    return changes
  }

  /// Returns the entries that every tenth commit loads into a new tree.
  fileprivate static func loaded(for number: UInt64) -> [(key: [UInt8], value: [UInt8])] {
    (0..<100 + number % 300).map { (bigEndianBytes($0), patternedBytes($0 ^ number)) }
  }

  /// Loads a tree separately, and returns its loader.
  private static func load(_ number: UInt64, in backend: any StoreBackend) throws(BackendError) -> any KeyspaceLoader {
    let entries = loaded(for: number)
    let loader = try backend.loadKeyspace(of: .tree, named: Keyspaces.loadedName, expecting: entries.count)
    for part in [entries.prefix(60), entries.dropFirst(60)] {
      var batch = WriteBatch()
      for entry in part { batch.put(entry.value, key: entry.key, in: loader.keyspace) }
      try loader.append(batch)
    }
    try loader.finish()
    return loader
  }

  /// Makes a commit of the workload.
  public static func commit(
    _ number: UInt64, to backend: any StoreBackend, _ keyspaces: Keyspaces, durability: Durability
  ) throws(BackendError) {
    let loader = number % 10 == 0 ? try load(number, in: backend) : nil
    let former = loader == nil ? nil : try keyspaces.loaded()
    try backend.commit(durability) { batch in
      if let loader { batch.appendAdoption(of: loader.keyspace) }
      if let former { batch.appendDrop(of: former) }
      batch.appendRangeCheck(of: keyspaces[.index], from: [], to: [], atMost: Int(min(number - 1, 60)))
      for change in changes(of: number) {
        let keyspace = keyspaces[change.part]
        switch (change.part, change.value) {
        case (.songs, let value?): batch.put(value, row: rowID(change.key), in: keyspace, expecting: .absent)
        case (.songs, nil): batch.remove(row: rowID(change.key), in: keyspace)
        case (.playlists, let value?): batch.put(value, row: rowID(change.key), in: keyspace, expecting: .anything)
        case (.playlists, nil): batch.remove(row: rowID(change.key), in: keyspace)
        case (.names, let value?):
          batch.put(value, key: change.key, in: keyspace, expecting: number == 1 ? .absent : .present)
        case (.history, let value?): batch.putNumbered(value, suffix: change.key, in: keyspace)
        case (_, let value?): batch.put(value, key: change.key, in: keyspace)
        case (_, nil): batch.remove(key: change.key, in: keyspace)
        }
      }
    }
  }

  private static func treeKey(_ number: UInt64) -> [UInt8] {
    bigEndianBytes(number &* 0x9E37_79B9_7F4A_7C15) + bigEndianBytes(number)
  }

  private static func rowID(_ key: [UInt8]) -> RowID { key.reduce(0) { $0 << 8 | RowID($1) } }
}

private let latestKey = Array("latest".utf8)
