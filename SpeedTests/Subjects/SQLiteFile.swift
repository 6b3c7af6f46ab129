import GRDBSQLite
package import SpeedTestHarness

/// An SQLite file through the C interface, for one thread.
@safe
package struct SQLiteFile {
  private let connection: OpaquePointer

  /// Opens the file of songs, which gets its table if necessary, and closes it after `body`.
  static func with<Result>(_ directory: String, _ body: (SQLiteFile) throws -> Result) throws -> Result {
    try with(path: directory + "/songs.sqlite") { file in
      try file.execute(
        "CREATE TABLE IF NOT EXISTS song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, seconds INTEGER NOT NULL)")
      return try body(file)
    }
  }

  /// Opens a file with a write-ahead log and a flush at every commit, and closes it after `body`.
  package static func with<Result>(path: String, _ body: (SQLiteFile) throws -> Result) throws -> Result {
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open(path, &opened)
    guard let connection = unsafe opened, status == SQLITE_OK else {
      unsafe sqlite3_close(opened)
      throw SpeedTestError.failed("sqlite: cannot open the file: \(unsafe String(cString: sqlite3_errstr(status)))")
    }
    let file = unsafe SQLiteFile(connection: connection)
    // On an error the process ends, which closes the file.
    try file.execute("PRAGMA journal_mode = WAL")
    try file.execute("PRAGMA synchronous = FULL")
    let result = try body(file)
    // Closing writes the log back to the file.
    try file.check(unsafe sqlite3_close(connection))
    return result
  }

  package func execute(_ sql: String) throws(SpeedTestError) {
    try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Calls `body` with a prepared statement.
  package func with<Result>(_ sql: String, _ body: (borrowing SQLiteStatement) throws -> Result) throws -> Result {
    let statement = try prepare(sql)
    return try body(statement)
  }

  /// Prepares a statement, which must be released before the file is closed.
  package func prepare(_ sql: String) throws(SpeedTestError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    try check(unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil))
    return unsafe SQLiteStatement(pointer: prepared, connection: connection)
  }

  private func check(_ status: Int32) throws(SpeedTestError) {
    if status != SQLITE_OK { throw unsafe sqliteError(connection) }
  }
}

/// A prepared statement.
@safe
package struct SQLiteStatement: ~Copyable {
  let pointer: OpaquePointer?
  let connection: OpaquePointer

  deinit { unsafe sqlite3_finalize(pointer) }

  package func bind(_ number: some BinaryInteger, at position: Int32) {
    unsafe sqlite3_bind_int64(pointer, position, Int64(number))
  }

  /// Executes the statement with a text that is not copied.
  package func execute(binding text: String, at position: Int32) throws {
    try forEachRow(binding: text, at: position) {}
  }

  /// Executes the statement with a text that is not copied, and calls `body` at each row.
  package func forEachRow(binding text: String, at position: Int32, _ body: () -> Void) throws {
    var text = text
    try text.withUTF8 { bytes in
      try unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        unsafe sqlite3_bind_text(pointer, position, bytes.baseAddress, Int32(bytes.count), nil)
        try forEachRow(body)
      }
    }
  }

  /// Executes the statement and calls `body` at each row.
  ///
  /// The statement can then be executed again.
  package func forEachRow(_ body: () -> Void) throws(SpeedTestError) {
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

  package func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: unsafe sqlite3_column_int64(pointer, column)) }

  /// Returns a text column as a string.
  package func text(_ column: Int32) -> String {
    // The statement owns the bytes until the next step.
    guard let text = unsafe sqlite3_column_text(pointer, column) else { return "" }
    let byteCount = Int(unsafe sqlite3_column_bytes(pointer, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: byteCount), as: UTF8.self)
  }

  /// Returns the sum of the bytes of a text column.
  func byteSum(_ column: Int32) -> UInt64 {
    guard let text = unsafe sqlite3_column_text(pointer, column) else { return 0 }
    let byteCount = Int(unsafe sqlite3_column_bytes(pointer, column))
    var sum: UInt64 = 0
    for position in 0..<byteCount { sum &+= UInt64(unsafe text[position]) }
    return sum
  }
}

/// The version of the library that is linked, such as "3.40.1".
package var sqliteVersion: String { unsafe String(cString: sqlite3_libversion()) }

private func sqliteError(_ connection: OpaquePointer) -> SpeedTestError {
  .failed("sqlite: \(unsafe String(cString: sqlite3_errmsg(connection)))")
}
