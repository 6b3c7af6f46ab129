/// The result of ``BackupSeries/verify(_:progress:)``.
///
/// It is `Codable`: `JSONEncoder` turns it into a document.
public struct BackupVerification: Sendable, Codable {
  /// The number of backups that were checked.
  public internal(set) var backupCount = 0
  /// The number of bytes of the store's files that these backups contain.
  public internal(set) var byteCount = 0
  /// The number of damaged parts; ``damages`` lists the first thousand.
  public internal(set) var damageCount = 0
  public internal(set) var damages: [Damage] = []

  /// Whether all backups can be restored exactly.
  public var isSound: Bool { damageCount == 0 }

  /// The numbers of the backups that cannot be restored, as listed in ``damages``.
  public var damagedBackups: [Int] { Set(damages.map(\.backupNumber)).sorted() }

  /// A damaged part of a backup.
  public struct Damage: Sendable, Codable, Equatable, CustomStringConvertible {
    public var backupNumber: Int
    /// The file of the store that the part belongs to; nil if the whole backup cannot be read.
    public var file: String?
    /// The offset of the part in that file, in bytes.
    public var byteOffset: Int
    public var byteCount: Int
    /// The damaged or missing file of the series.
    public var storedIn: String

    public var description: String {
      let part = file.map { "\(byteCount) bytes at byte \(byteOffset) of \($0) are damaged" } ?? "it cannot be read"
      return "backup \(backupNumber): \(part) (stored in \(storedIn))"
    }
  }

  static let damageLimit = 1000

  mutating func add(_ damage: Damage) {
    damageCount += 1
    if damages.count < Self.damageLimit { damages.append(damage) }
  }
}
