internal import CSQLite
internal import Foundation

/// A database of SQLite that is only read, and never changed.
///
/// Opening a database in the usual way creates files beside it, and writes back its log. If there is no log, the file is
/// opened as immutable. Otherwise the files are copied to a temporary directory, and the copy is opened.
@safe
final class SQLiteDatabase {
  /// The handle, which `deinit` closes and no other object has.
  private let handle: OpaquePointer
  private let copy: TemporaryCopy?

  private static let magic = Array("SQLite format 3\0".utf8)

  init(path: String) throws(LegacyError) {
    try Self.checkMagic(path)
    let logs = ["-wal", "-journal"].filter { suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
      return (attributes?[.size] as? Int ?? 0) > 0
    }
    copy = logs.isEmpty ? nil : try TemporaryCopy(of: path, with: logs)
    var location = URL(filePath: copy?.path ?? path).absoluteString
    if copy == nil { location += "?immutable=1" }
    let flags = (copy == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_URI
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(location, &opened, flags, nil)
    guard let opened = unsafe opened, status == SQLITE_OK else {
      unsafe sqlite3_close(opened)
      throw LegacyError(.cannotOpen, "SQLite cannot open the file: \(Self.message(status))")
    }
    unsafe handle = opened
    // The schema is untrusted: functions in it must not run with side effects, and cells are checked.
    for setting in ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0"] {
      _ = unsafe sqlite3_exec(handle, setting, nil, nil, nil)
    }
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 30)
  }

  deinit { unsafe sqlite3_close(handle) }

  private static func checkMagic(_ path: String) throws(LegacyError) {
    var isDirectory: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw LegacyError(.cannotOpen, "the file does not exist")
    }
    if isDirectory.boolValue { throw LegacyError(.cannotOpen, "it is a directory, not a file") }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw LegacyError(.cannotOpen, "the file cannot be opened for reading")
    }
    guard let start = try? file.read(upToCount: magic.count), Array(start) == magic else {
      throw LegacyError(.notADatabase, "the file is no database of SQLite")
    }
  }

  /// Returns the message of SQLite for a status.
  private static func message(_ status: Int32) -> String {
    // The text is a constant of the library.
    unsafe sqlite3_errstr(status).map { unsafe String(cString: $0) } ?? "error \(status)"
  }

  /// Returns the error of the last call on the handle.
  private func failure(_ status: Int32) -> LegacyError {
    // The message lives until the next call on the handle, and is copied before it.
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? Self.message(status)
    switch status & 0xFF {
    case SQLITE_NOTADB: return LegacyError(.notADatabase, "the file is no database of SQLite")
    case SQLITE_CORRUPT, SQLITE_FORMAT: return LegacyError(.damaged, "the database is damaged: \(message)")
    case SQLITE_IOERR: return LegacyError(.damaged, "the database cannot be read: \(message)")
    default: return LegacyError(.wrongSchema, "the database cannot be queried: \(message)")
    }
  }

  /// Calls back with each row of a query.
  func forEachRow(_ sql: String, _ body: (SQLiteRow) throws -> Void) throws {
    var prepared: OpaquePointer?
    var status = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard status == SQLITE_OK, let statement = unsafe prepared else { throw failure(status) }
    // The statement is used by this call only.
    defer { unsafe sqlite3_finalize(statement) }
    while true {
      status = unsafe sqlite3_step(statement)
      switch status {
      case SQLITE_ROW: try body(unsafe SQLiteRow(statement))
      case SQLITE_DONE: return
      default: throw failure(status)
      }
    }
  }

  /// Returns the tables in the order of their names, without those of SQLite itself.
  ///
  /// Views are left out: a view could run any query.
  func tables() throws -> [String] {
    var names: [String] = []
    let sql =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    try forEachRow(sql) { if let name = try $0.text(0) { names.append(name) } }
    return names
  }

  /// Returns the columns of a table.
  func columns(of table: String) throws -> [String] {
    var names: [String] = []
    try forEachRow("PRAGMA table_info(\(Self.quoted(table)))") { if let name = try $0.text(1) { names.append(name) } }
    return names
  }

  /// Returns a name as an identifier of SQL.
  static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
}
