import GRDB
import SpeedTestHarness

/// JSON texts in a table of SQLite, through GRDB.swift, with indexes on expressions.
///
/// The texts are put together by hand and read by SQLite's functions, which is faster than Swift's coders of JSON.
struct GRDBDocumentSubject: DocumentSubject {
  let name = "grdb-json"
  /// There is no index of all values.
  let unsupportedWorkloads: Set<String> = ["D5", "D6"]

  private func with<Result>(_ directory: String, _ body: (DatabaseQueue) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: directory + "/people.sqlite", configuration: configuration)
    // Set FULL after opening: with a write-ahead log, GRDB sets NORMAL then, which does not flush at a commit.
    try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    let result = try body(queue)
    try queue.close()
    return result
  }

  func insert(_ people: PeopleSource, isIndexed: Bool, in directory: String) throws {
    try with(directory) { queue in
      try queue.write { db in
        try db.execute(sql: "CREATE TABLE person (id INTEGER PRIMARY KEY, json TEXT NOT NULL)")
        if isIndexed {
          try db.execute(sql: "CREATE INDEX ages ON person (json ->> '$.age')")
          try db.execute(
            sql: "CREATE INDEX cities ON person (json ->> '$.address.city', json ->> '$.last_name')")
        }
        let statement = try db.makeStatement(sql: "INSERT INTO person (json) VALUES (?)")
        for index in 0..<people.count {
          let person = people.person(index)
          let json =
            "{\"first_name\":\"\(person.firstName)\",\"last_name\":\"\(person.lastName)\",\"email\":\"\(person.email)\","
            + "\"age\":\(person.age),\"score\":\(person.score),\"active\":\(person.isActive),"
            + "\"address\":{\"country\":\"\(person.country)\",\"city\":\"\(person.city)\"}}"
          statement.setUncheckedArguments([json])
          try statement.execute()
        }
      }
    }
  }

  private static let columns = "json ->> '$.email', json ->> '$.age'"

  private func fetch(
    _ directory: String, _ condition: String, _ arguments: [StatementArguments]
  ) throws -> Checksum {
    try with(directory) { queue in
      try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT \(Self.columns) FROM person WHERE \(condition)")
        var checksum = Checksum()
        for values in arguments {
          statement.setUncheckedArguments(values)
          let rows = try Row.fetchCursor(statement)
          while let row = try rows.next() { checksum.add(title: row[0], seconds: row[1]) }
        }
        return checksum
      }
    }
  }

  func fetch(
    at positions: [Int], in directory: String, measure: (() throws -> Checksum) throws -> Checksum
  ) throws -> Checksum {
    try measure { try fetch(directory, "id = ?", positions.map { [$0 + 1] }) }
  }

  func fetch(ofCities cities: [String], in directory: String) throws -> Checksum {
    try fetch(directory, "json ->> '$.address.city' = ?", cities.map { [$0] })
  }

  func fetch(ofAges ranges: [Range<Int>], limit: Int, in directory: String) throws -> Checksum {
    try fetch(
      directory,
      "json ->> '$.age' >= ? AND json ->> '$.age' < ? ORDER BY json ->> '$.age', id LIMIT \(limit)",
      ranges.map { [$0.lowerBound, $0.upperBound] })
  }

  func indexEverything(in directory: String) throws { throw SpeedTestError.failed("there is no such index") }

  func fetch(withAnyValue values: [String], in directory: String) throws -> Checksum {
    throw SpeedTestError.failed("there is no such index")
  }
}
