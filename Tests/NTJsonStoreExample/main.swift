import Foundation
import Todana
import TodanaDocuments

let store = try Store(.inMemory, classes: [])

// A configuration in JSON makes collections with their indexes, defaults and aliases.
let configuration = """
  {"collections": {"users": {
    "indexes": ["[last_name], [first_name] DESC"], "uniqueIndexes": ["[email]"],
    "defaults": {"active": true}, "aliases": {"country": "[address.country]"}, "cacheSize": 50
  }}}
  """
try store.apply(DocumentConfiguration(json: Data(configuration.utf8)))
let users = try store.documents("users")

// Insert one document, or a batch: all or none.
let doe = try users.insert(["first_name": "John", "last_name": "Doe", "email": "j@foo.com", "age": 41])
try users.insert(contentsOf: [
  ["first_name": "Jane", "last_name": "Doe", "email": "jane@foo.com", "age": 20, "address": ["country": "US"]],
  ["first_name": "Bob", "last_name": "Smith", "email": "bob@foo.com", "age": 2, "active": false],
])
try store.saveChanges()

// Queries with fields in brackets and question marks.
let found = try users.find("[last_name] = ? AND [age] > ?", "Doe", 18, orderBy: "[first_name]", limit: 10)
print(found.compactMap { $0["first_name"]?.string })  // ["Jane", "John"]
print(try users.count("country = 'US' OR [age] BETWEEN 1 AND 5"))  // 2
print(try users.count("[active]"), doe["active"] == nil)  // 2 true

// Update, and ask whether a document is still the stored one.
doe["age"] = 42
try store.saveChanges()
print(try store.isCurrent(doe))  // true

// A unique index refuses a batch entirely.
try users.insert(["email": "j@foo.com"])
do {
  try store.saveChanges()
} catch let violation as UniqueViolation {
  print("refused:", violation.indexName)
}
store.discardChanges()

// Delete by condition, and keep metadata of the store.
print(try users.delete(where: "[age] < ?", 3), try users.count())  // 1 2
try store.setMetadata(["version": 3], for: "schema")
try store.saveChanges()
print(try store.metadata("schema")?["version"]?.int ?? 0)  // 3
print(try store.documentCollectionNames())  // ["users"]
