import TestSupport
import Todana

/// What reads of a class whose file is damaged give: which rows are found, and which are reported.
struct DamagedRows {
  var found: [RowID: String] = [:]
  var reported: [RowID] = []
  /// Messages of reports that name no row.
  var unnamed: [String] = []

  /// What a scan gives.
  static func scanning(_ store: Store) throws -> DamagedRows {
    var rows = DamagedRows()
    var reports: [StoreError] = []
    let songs = try store.fetch(Song.self, onDamage: .report { reports.append($0) })
    for song in songs {
      if let id = song.id { rows.found[id.rowID] = song.title }
    }
    for error in reports {
      if let rowID = error.rowID { rows.reported.append(rowID) } else { rows.unnamed.append(error.message) }
    }
    rows.reported.sort()
    return rows
  }

  /// What reads of single rows give.
  static func reading(_ rowIDs: some Sequence<RowID>, from store: Store) throws -> DamagedRows {
    var rows = DamagedRows()
    guard let classID = try store.catalog[Song.self]?.id else { return rows }
    for rowID in rowIDs {
      let id = ObjectID<Song>(unchecked: AnyObjectID(classID: classID, rowID: rowID))
      do {
        if let song = try store.fetch(id) { rows.found[rowID] = song.title }
      } catch {
        guard error.code == .damagedRecord else { throw error }
        rows.reported.append(rowID)
      }
    }
    return rows
  }
}
