internal import Todana

extension Archive {
  /// Has what a verification found to be damaged stored anew when it is added again.
  ///
  /// Until then nothing changes. From then on what was damaged is whole again in all snapshots; the damaged places
  /// themselves stay in the store's files, and no copy of the archive has them.
  ///
  /// - Parameter found: What ``verify(_:progress:)`` found in this archive.
  /// - Returns: How many pieces are known to be damaged now.
  /// - Throws: `StoreError`, where the archive was opened for reading only, for one.
  @discardableResult
  public func noteDamage(_ found: ArchiveVerification) throws -> Int {
    var count = 0
    try content.changeDamage { damage in
      for place in found.soundPlaces { try damage.remove(place) }
      for place in found.damagedPlaces.sorted(by: { ($0.kind.rawValue, $0.row) < ($1.kind.rawValue, $1.row) }) {
        try damage.add(place)
      }
      count = Array(damage.places).count
    }
    try store.saveChanges()
    return count
  }
}
