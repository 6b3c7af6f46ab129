import Todana

/// The JSON report of `todana store backups verify`.
struct SeriesVerificationReport: Encodable {
  let isSound: Bool
  let backupCount: Int
  let byteCount: Int
  let damageCount: Int
  let damages: [Damage]

  struct Damage: Encodable {
    /// The number of the backup.
    let number: Int
    let file: String?
    let byteOffset: Int
    let byteCount: Int
    let storedIn: String
  }

  init(_ report: BackupVerification) {
    isSound = report.isSound
    (backupCount, byteCount, damageCount) = (report.backupCount, report.byteCount, report.damageCount)
    damages = report.damages.map { damage in
      Damage(
        number: damage.backupNumber, file: damage.file, byteOffset: damage.byteOffset, byteCount: damage.byteCount,
        storedIn: damage.storedIn)
    }
  }
}
