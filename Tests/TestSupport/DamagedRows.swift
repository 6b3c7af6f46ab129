public import Todana

/// The results of reading a class whose file is damaged: the rows found and the rows reported.
public struct DamagedRows {
  public var found: [RowID: String] = [:]
  public var reported: [RowID] = []
  /// The messages of reports without a row id.
  public var unnamed: [String] = []

  /// Reads all rows in a scan.
  public static func scanning(_ store: Store) throws -> DamagedRows {
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

  /// Reads rows one by one.
  public static func reading(_ rowIDs: some Sequence<RowID>, from store: Store) throws -> DamagedRows {
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
