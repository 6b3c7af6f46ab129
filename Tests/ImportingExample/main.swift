import Foundation
import Todana
import TodanaDocuments

let directory = URL.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let csv = directory.appending(path: "users.csv").path
try "name,age,address.city\nDoe,41,Boston\nSmith\n\"O'Neil, Ann\",20,\n"
  .write(toFile: csv, atomically: true, encoding: .utf8)

let store = try Store(.inMemory, classes: [])
let users = try store.documents("users")

// Dotted names make dictionaries. Rows with errors are left out.
let summary = try users.importRows(
  from: csv, as: .csv(CSVFormat(nestsDottedNames: true)),
  options: ImportOptions(errorPolicy: .skip { error in print(error) }))
print(summary.rowCount, summary.skippedRowCount)  // 2 1
print(try users.count("[address.city] = 'Boston' AND [age] > 40"))  // 1

// JSON lines keep all kinds of values.
let lines = directory.appending(path: "users.jsonl").path
print(try users.exportJSONLines(to: lines, options: ExportOptions(where: "[age] < 40")))  // 1
print(try String(contentsOfFile: lines, encoding: .utf8), terminator: "")
