import GRDBSQLite
import SpeedTestHarness

/// An SQLite file through the C interface, for one thread.
@safe
struct SQLiteFile {
  private let connection: OpaquePointer

  /// Opens the file with a write-ahead log and a flush at every commit, and closes it after `body`.
  static func with<Result>(_ directory: String, _ body: (SQLiteFile) throws -> Result) throws -> Result {
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open(directory + "/songs.sqlite", &opened)
    guard let connection = unsafe opened, status == SQLITE_OK else {
      unsafe sqlite3_close(opened)
      throw SpeedTestError.failed("sqlite: cannot open the file: \(unsafe String(cString: sqlite3_errstr(status)))")
    }
    let file = unsafe SQLiteFile(connection: connection)
    // On an error the process ends, which closes the file.
    try file.execute("PRAGMA journal_mode = WAL")
    try file.execute("PRAGMA synchronous = FULL")
    try file.execute(
      "CREATE TABLE IF NOT EXISTS song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, seconds INTEGER NOT NULL)")
    let result = try body(file)
    // Closing writes the log back to the file.
    try file.check(unsafe sqlite3_close(connection))
    return result
  }

  func execute(_ sql: String) throws(SpeedTestError) {
    try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Calls `body` with a prepared statement.
  func with<Result>(_ sql: String, _ body: (borrowing SQLiteStatement) throws -> Result) throws -> Result {
    var prepared: OpaquePointer?
    try check(unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil))
    let statement = unsafe SQLiteStatement(pointer: prepared, connection: connection)
    return try body(statement)
  }

  private func check(_ status: Int32) throws(SpeedTestError) {
    if status != SQLITE_OK { throw unsafe sqliteError(connection) }
  }
}

/// A prepared statement.
@safe
struct SQLiteStatement: ~Copyable {
  let pointer: OpaquePointer?
  let connection: OpaquePointer

  deinit { unsafe sqlite3_finalize(pointer) }

  func bind(_ number: some BinaryInteger, at position: Int32) {
    unsafe sqlite3_bind_int64(pointer, position, Int64(number))
  }

  /// Executes the statement with a text that is not copied.
  func execute(binding text: String, at position: Int32) throws {
    var text = text
    try text.withUTF8 { bytes in
      try unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        unsafe sqlite3_bind_text(pointer, position, bytes.baseAddress, Int32(bytes.count), nil)
        try forEachRow {}
      }
    }
  }

  /// Executes the statement and calls `body` at each row.
  ///
  /// The statement can then be executed again.
  func forEachRow(_ body: () -> Void) throws(SpeedTestError) {
    while true {
      switch unsafe sqlite3_step(pointer) {
      case SQLITE_ROW: body()
      case SQLITE_DONE:
        unsafe sqlite3_reset(pointer)
        return
      default: throw unsafe sqliteError(connection)
      }
    }
  }

  func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: unsafe sqlite3_column_int64(pointer, column)) }

  /// Returns the sum of the bytes of a text column.
  func byteSum(_ column: Int32) -> UInt64 {
    guard let text = unsafe sqlite3_column_text(pointer, column) else { return 0 }
    let byteCount = Int(unsafe sqlite3_column_bytes(pointer, column))
    var sum: UInt64 = 0
    for position in 0..<byteCount { sum &+= UInt64(unsafe text[position]) }
    return sum
  }
}

private func sqliteError(_ connection: OpaquePointer) -> SpeedTestError {
  .failed("sqlite: \(unsafe String(cString: sqlite3_errmsg(connection)))")
}
