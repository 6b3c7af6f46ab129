import Todana

/// The information that `todana store info` prints.
struct StoreInfo: Encodable {
  let path: String
  let identity: String
  let format: Int
  let opened: String
  let isReadOnly: Bool
  let commitNumber: CommitNumber
  let recoveredCommitCount: Int
  let anchor: String?
  /// The encryption; nil if the store is not encrypted.
  let encryption: Encryption?
  /// A description of the unfinished migration, if there is one.
  let unfinished: String?
  let recordCount: Int
  /// The number of named buffers; nil if one of them is damaged.
  let namedBufferCount: Int?
  private(set) var fileByteCount = 0
  private(set) var neededByteCount = 0
  private(set) var classes: [StoredClass]
  let indexes: [IndexEntry]
  /// The reason why sizes are missing, if there is damage.
  private(set) var damage: String?

  struct Encryption: Encodable {
    let cipher: String
    let keys: [KeyEntry]
  }

  struct StoredClass: Encodable {
    let `class`: String
    let number: UInt32
    /// The number of records; nil if the class's file is damaged.
    let recordCount: Int?
    let nextRow: RowID?
    var fileByteCount: Int?
    var fragmentation: Double?
  }

  var fragmentation: Double {
    fileByteCount > 0 ? Double(fileByteCount - neededByteCount) / Double(fileByteCount) : 0
  }

  var encryptionText: String {
    guard let encryption else { return "none" + unfinishedText }
    return
      "\(encryption.cipher), opened by \(counted(encryption.keys.count, "passphrase or key", "passphrases or keys"))"
      + unfinishedText
  }

  private var unfinishedText: String { unfinished.map { "; the \($0) is unfinished" } ?? "" }

  init(of store: Store, at path: String) throws {
    let report = store.backend.openReport
    self.path = path
    identity = "\(store.backend.storeID)"
    format = report.formatVersion
    opened = "\(report)"
    isReadOnly = report.isReadOnly
    commitNumber = report.commitNumber
    recoveredCommitCount = report.recoveredCommitCount
    anchor = try store.anchor().map { "\($0)" }
    encryption = try store.backend.keyRing.map { ring in
      Encryption(cipher: ring.cipher.displayName, keys: try store.keys.slots().map(KeyEntry.init))
    }
    unfinished = try store.unfinishedMigration().map(\.noun)
    classes = try store.catalog.map { entry in
      StoredClass(
        class: entry.name, number: entry.id?.rawValue ?? 0, recordCount: entry.recordCount, nextRow: entry.nextRowID)
    }
    recordCount = classes.reduce(0) { $0 + ($1.recordCount ?? 0) }
    (namedBufferCount, damage) = try Self.countNamedBuffers(store)
    indexes = try store.storedIndexes.map(IndexEntry.init)
    try measure(store)
  }

  /// Returns the number of named buffers, or the description of their damage.
  private static func countNamedBuffers(_ store: Store) throws -> (count: Int?, damage: String?) {
    do throws(StoreError) {
      return (try store.namedBufferNames().count, nil)
    } catch {
      guard error.code.isDamage else { throw error }
      return (nil, "The named buffers cannot be counted: \(error)")
    }
  }

  private mutating func measure(_ store: Store) throws {
    do {
      for use in try store.spaceUse(progress: { try Interruption.check() }) {
        fileByteCount += use.fileByteCount
        neededByteCount += use.neededByteCount
        guard let index = classes.firstIndex(where: { $0.class == use.className }) else { continue }
        classes[index].fileByteCount = use.fileByteCount
        classes[index].fragmentation = use.fragmentation
      }
    } catch let error as StoreError where error.code.isDamage {
      damage = damage ?? "\(error)"
    }
  }
}

extension StoreError.Code {
  /// Whether some data cannot be read, or are not those that were saved.
  fileprivate var isDamage: Bool {
    switch self {
    case .damagedRecord, .contentsDoNotMatchDigest, .unknownKeyEpoch: true
    default: false
    }
  }
}

extension StoreCipher {
  var displayName: String {
    switch self {
    case .aes128: "AES-128-GCM"
    case .aes256: "AES-256-GCM"
    }
  }
}
