import CSQLite
import Foundation

/// A database of SQLite that a test makes.
///
/// The samples are made from the schemas of the older libraries, not by these libraries.
enum SQLiteSample {
  struct Failure: Error { let message: String }

  /// Runs statements on a database.
  static func run(_ statements: [String], on path: String) throws {
    try withOpen(path) { run in for statement in statements { try run(statement) } }
  }

  /// Opens a database, and passes a function that runs a statement.
  static func withOpen(_ path: String, _ body: ((String) throws -> Void) throws -> Void) throws {
    var opened: OpaquePointer?
    // The handle is closed before the function returns.
    defer { unsafe sqlite3_close(opened) }
    guard unsafe sqlite3_open(path, &opened) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
    try body { statement in
      guard unsafe sqlite3_exec(opened, statement, nil, nil, nil) == SQLITE_OK else {
        throw Failure(message: unsafe String(cString: sqlite3_errmsg(opened)) + ": " + statement)
      }
    }
  }

  static func blob(_ bytes: some Sequence<UInt8>) -> String {
    "x'" + bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() + "'"
  }

  static func text(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
