package import Foundation
internal import TodanaDocuments

/// A reader of the databases of NanoStore 1.0 to 2.7.
///
/// The table `NSFKeys` has a row for each object and bag. The table `NSFValues` is an index of the same contents, and is
/// not read.
package final class NanoStoreReader {
  private let database: SQLiteDatabase
  private let dates: NanoStoreDate
  /// The column of the contents: keyed archives since version 2.5, property lists before.
  private let contentColumn: String
  private let columns: [String]

  private static let table = "NSFKeys"

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - timeZone: The time zone of the machine that wrote it.
  /// - Throws: ``LegacyError``.
  package init(path: String, timeZone: TimeZone = .current) throws {
    database = try SQLiteDatabase(path: path)
    dates = NanoStoreDate(timeZone: timeZone)
    guard try database.tables().contains(Self.table) else {
      throw LegacyError(.wrongSchema, "the database has no table NSFKeys, so it is none of NanoStore")
    }
    columns = try database.columns(of: Self.table)
    guard let content = ["NSFKeyedArchive", "NSFPlist"].first(where: columns.contains), columns.contains("NSFKey")
    else {
      throw LegacyError(.wrongSchema, "the table NSFKeys has no column NSFKey, or none of NSFKeyedArchive and NSFPlist")
    }
    contentColumn = content
  }

  /// Returns the number of objects of each class, in the order of the names; bags are of the class `NSFNanoBag`.
  package func classCounts() throws -> [(name: String, count: Int)] {
    var counts: [(name: String, count: Int)] = []
    let column = selected("NSFObjectClass")
    try database.forEachRow("SELECT \(column), count(*) FROM NSFKeys GROUP BY 1 ORDER BY 1") { row in
      counts.append((try row.text(0) ?? NanoStoreObject.plainClassName, Int(row.integer(1))))
    }
    return counts
  }

  /// Calls back with each object and bag, in the order of the rows, or with the reason why one cannot be read.
  package func forEachItem(_ body: (Result<NanoStoreItem, ObjectFailure>) throws -> Void) throws {
    let sql =
      "SELECT ROWID, NSFKey, \(contentColumn), \(selected("NSFCalendarDate")), \(selected("NSFObjectClass")) FROM NSFKeys "
      + "ORDER BY ROWID"
    try database.forEachRow(sql) { row in
      // The key itself may be damaged.
      let key = try? row.text(1)
      let result = Result { try item(row) }.mapError { error in
        ObjectFailure(key.map { "object \($0)" } ?? "row \(row.integer(0)) of NSFKeys", error)
      }
      try body(result)
    }
  }

  /// Returns an expression for a column that not all versions have.
  private func selected(_ column: String) -> String { columns.contains(column) ? column : "NULL" }

  private func item(_ row: SQLiteRow) throws -> NanoStoreItem {
    guard let key = try row.text(1) else { throw LegacyError(.damaged, "the row has no key") }
    guard let bytes = row.bytes(2) else { throw LegacyError(.damaged, "the object has no content") }
    let savedAt = try row.text(3).flatMap { dates.date($0) }
    let className = try row.text(4) ?? NanoStoreObject.plainClassName
    let content = try PropertyListValue.value(of: bytes)
    guard content.fields != nil else {
      throw LegacyError(.invalidRecord, "the content is no dictionary, but a value of the kind \(content.kind)")
    }
    if className == NanoStoreBag.className {
      return .bag(try NanoStoreBag(key: key, savedAt: savedAt, content: content))
    }
    return .object(NanoStoreObject(key: key, className: className, savedAt: savedAt, content: content))
  }
}
