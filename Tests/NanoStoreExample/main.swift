import Foundation
import Todana
import TodanaDocuments

// A store in memory; .temporary and .directory(path) are the other kinds.
let store = try Store(.inMemory, classes: [])
let people = try store.documents("people")

// Objects: dictionaries with keys, added one by one or together.
let object = try people.insert(["LastName": "Doe", "FirstName": "John", "Phones": ["555-1234", ["Work": "555-9876"]]])
object["Age"] = 41
try people.insert(contentsOf: [
  ["LastName": "Smith", "FirstName": "Jane", "Age": 33, "Joined": .init(Date(timeIntervalSinceReferenceDate: 0))],
  ["LastName": "doe", "FirstName": "Ann", "Address": ["Country": "US", "LastName": "c/o Doe"]],
])
try store.saveChanges()

// By key, also several at once.
print(try people.document(for: object.key)?["FirstName"]?.string ?? "?")  // John
print(try people.documents(for: [object.key, UUID()]).map { $0 != nil })  // [true, false]

// Attribute and value: exact, without case, at any depth; an attribute alone; a value anywhere.
print(try people.count("[LastName] = ?", "Doe"), try people.count("[LastName] =[i] ?", "DOE"))  // 1 2
print(try people.count("[**.LastName] = ?", "c/o Doe"), try people.count("[**.Work] EXISTS"))  // 1 1
print(try people.find(anyValue: "555-9876").count)  // 1

// The other matches, lists, null, and expressions with parentheses.
print(try people.count("[LastName] BEGINSWITH 'D' OR [LastName] ENDSWITH[i] 'OE'"))  // 2
print(try people.count("[LastName] CONTAINS 'mit' AND ([Age] > 30 AND [Age] < 40)"))  // 1
print(try people.count("[FirstName] IN ? AND [Age] IS NULL", ["Ann", "Eve"]))  // 1

// Sorts, pages, parts of objects, distinct values and aggregates.
let page = try people.find("TRUE", orderBy: "[LastName][c], [FirstName] DESC", limit: 2, offset: 1)
print(page.compactMap { $0["FirstName"]?.string })  // ["Ann", "Jane"]
print(try people.values(at: ["FirstName", "Address.Country"], where: "[Age] IS NULL"))
print(try people.distinctValues(at: "LastName"), try people.summary(of: "Age").average ?? 0)

// By the time of the last save, and by ranges of dates.
print(try people.find { $0.savedAt > Date(timeIntervalSinceNow: -60) && $0["Joined"].exists }.count)  // 1
print(try people.count("[Joined] BETWEEN ? AND ?", Date.distantPast, Date()))  // 1

// Adding again replaces; copies have new keys; removing is by object, by key, and by condition.
object.value = ["LastName": "Doe", "FirstName": "Jim"]
try people.insert(copyOf: object)
print(try people.delete(where: "[Age] = 33"), try people.count())  // 1 3
try store.delete(object)
store.discardChanges()
print(try people.count())  // 3
