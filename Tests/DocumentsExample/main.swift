import Foundation
import Todana
import TodanaDocuments

let directory = FileManager.default.temporaryDirectory.appending(path: "People-\(UUID().uuidString).todana").path
defer { try? FileManager.default.removeItem(atPath: directory) }
let store = try Store(.directory(directory), classes: [])
let users = try store.documents("users")
try users.addIndex("[last_name], [age] DESC")
try users.addIndex("[isbn]", unique: true)

// Insert, change, save.
let user = try users.insert(["last_name": "Doe", "emails": ["jdoe@foo.com"], "address": ["country": "US"], "age": 41])
try users.insert(["last_name": "Smith", "emails": [], "address": ["country": "FR"], "age": 20])
user["address.city"] = "Boston"
try user.change { value throws(DocumentError) in
  try value.append("john@foo.com", at: "emails")
  try value.increment(at: "visits")
}
try store.saveChanges()

// Find by texts and by closures.
let found = try users.find(
  "[address.country] = ? AND [emails] CONTAINS ?", "US", "jdoe@foo.com", orderBy: "[last_name]")
print(found.first?["address.city"]?.string ?? "?")  // Boston
print(try users.find { $0["age"] > 20 && $0["address.country"] == "US" }.count)  // 1
print(try users.count("[**.country] = ?", "FR"), try users.find(anyValue: "Smith").count)  // 1 1
print(try users.document(for: user.key) === user)  // true

// Values of Codable types come back as themselves.
struct Person: Codable, DocumentRepresentable {
  var name: String
  var age: Int
}
let people = try store.documents("people")
try people.insert(Person(name: "Ann", age: 30))
print(try people.find(Person.self, "[age] >= ?", 18)[0].name)  // Ann

// Settings are kept with the collection.
users.defaults = ["active": true]
users.aliases = ["country": "[address.country]"]
try store.saveChanges()
print(try users.count("[active] AND country = 'US'"))  // 1

// JSON, and deletes.
print(try users.find("[age] < 30")[0].value.json())
print(try users.delete(where: "[age] < ?", 30), try users.count())  // 1 1
try store.close(discarding: true)
