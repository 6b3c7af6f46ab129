import Todana

/// The JSON report of `todana store salvage`.
struct SalvageOutput: Encodable {
  let isComplete: Bool
  let savedCount: Int
  let lostCount: Int
  let keyspaces: [Keyspace]
  let losses: [String]
  let indexesToBuild: [String]

  struct Keyspace: Encodable {
    let name: String
    let isNameKnown: Bool
    let number: Int
    let isNumberKept: Bool
    let savedCount: Int
    /// The number of records in the damaged store; nil if it is unknown.
    let recordCount: Int?
    let lostRows: [RowID]
    let damagedCount: Int
    let unreadableByteCount: Int
  }

  init(_ report: SalvageReport) {
    (isComplete, savedCount, lostCount) = (report.isComplete, report.savedCount, report.lostCount)
    (losses, indexesToBuild) = (report.losses, report.indexesToBuild)
    keyspaces = report.keyspaces.map { keyspace in
      Keyspace(
        name: keyspace.shownName, isNameKnown: keyspace.isNameKnown, number: keyspace.number,
        isNumberKept: keyspace.isNumberKept, savedCount: keyspace.savedCount, recordCount: keyspace.recordCount,
        lostRows: keyspace.lostRowIDs, damagedCount: keyspace.damagedCount,
        unreadableByteCount: keyspace.unreadableByteCount)
    }
  }
}

extension SalvageReport.Keyspace {
  /// The name for people; the parts of a tree's name are separated by NULs.
  ///
  /// An index, of which the salvage could not know that it is one, has the form `index seconds of Song`.
  var shownName: String {
    let parts = name.split(separator: "\0", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "index"
      ? "index \(parts[2]) of \(parts[1])" : name.replacing("\0", with: " ")
  }
}
