internal import CSQLite
internal import Foundation

/// A row of a query; valid only within the callback that gets it.
@safe
struct SQLiteRow {
  /// The statement, which is at the row as long as the callback runs.
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { unsafe self.statement = statement }

  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

  /// Returns a text; nil for NULL.
  func text(_ column: Int32) throws(LegacyError) -> String? {
    guard !isNull(column) else { return nil }
    // Numbers become texts by this call, and the bytes live until the next one.
    guard let start = unsafe sqlite3_column_text(statement, column) else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
      throw LegacyError(.invalidText, "a text of the row is not valid UTF-8")
    }
    return text
  }

  /// Returns the bytes of a blob or of a text; nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    // The bytes live until the next call for the column, and are copied before it.
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
