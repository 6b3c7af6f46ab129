/// What ``BackupSeries/verify(_:progress:)`` found.
///
/// `Codable`: `JSONEncoder` makes a document of it.
public struct BackupVerification: Sendable, Codable {
  /// Backups that were looked at.
  public internal(set) var backupCount = 0
  /// Bytes of the store's files that these backups have.
  public internal(set) var byteCount = 0
  /// How many damages there are; ``damages`` has the first thousand.
  public internal(set) var damageCount = 0
  public internal(set) var damages: [Damage] = []

  /// Whether all can be restored as it was backed up.
  public var isSound: Bool { damageCount == 0 }

  /// The numbers of the backups that cannot be restored, as far as ``damages`` tells.
  public var damagedBackups: [Int] { Set(damages.map(\.backupNumber)).sorted() }

  /// A part of a backup that is not as it was written.
  public struct Damage: Sendable, Codable, Equatable, CustomStringConvertible {
    public var backupNumber: Int
    /// The file of the store that it belongs to; nil where the whole backup cannot be read.
    public var file: String?
    /// Where in that file the part begins, in bytes.
    public var byteOffset: Int
    public var byteCount: Int
    /// The file of the series that is damaged, or missing.
    public var storedIn: String

    public var description: String {
      let part = file.map { "\(byteCount) bytes at \(byteOffset) of \($0)" } ?? "all"
      return "backup \(backupNumber): \(part) (stored in \(storedIn))"
    }
  }

  static let damageLimit = 1000

  mutating func add(_ damage: Damage) {
    damageCount += 1
    if damages.count < Self.damageLimit { damages.append(damage) }
  }
}
