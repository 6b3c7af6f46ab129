import Foundation

/// A database with the schema of NanoStore 2.7, or of the versions before 2.5.
struct NanoStoreSample {
  let path: String
  private let column: String

  init(_ path: String, isOld: Bool = false) throws {
    self.path = path
    column = isOld ? "NSFPlist" : "NSFKeyedArchive"
    try SQLiteSample.run(
      [
        "CREATE TABLE NSFP_SchemaTable(NSFP_TableIdentifier TEXT, NSFP_ColumnIdentifier TEXT, NSFP_DatatypeIdentifier TEXT)",
        "CREATE TABLE NSFValues(ROWID INTEGER PRIMARY KEY, NSFKey TEXT, NSFAttribute TEXT, NSFValue NONE, NSFDatatype TEXT)",
        "CREATE TABLE NSFKeys(ROWID INTEGER PRIMARY KEY, NSFKey TEXT, \(column) BLOB, NSFCalendarDate TEXT, NSFObjectClass TEXT)",
      ], on: path)
  }

  func add(
    _ key: String, _ content: [UInt8], className: String = "NSFNanoObject", date: String = "2012-03-04 05:06:07:250"
  ) throws {
    try SQLiteSample.run(
      [
        "INSERT INTO NSFKeys(NSFKey, \(column), NSFCalendarDate, NSFObjectClass) VALUES (\(SQLiteSample.text(key)), "
          + "\(SQLiteSample.blob(content)), \(SQLiteSample.text(date)), \(SQLiteSample.text(className)))"
      ], on: path)
  }

  func add(_ key: String, _ content: NSDictionary, className: String = "NSFNanoObject") throws {
    try add(key, Self.archive(content), className: className)
  }

  /// Returns a keyed archive, made by Foundation.
  static func archive(_ content: NSDictionary) throws -> [UInt8] {
    Array(try NSKeyedArchiver.archivedData(withRootObject: content, requiringSecureCoding: false))
  }
}
