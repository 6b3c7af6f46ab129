import Todana
import TodanaDocuments

struct Address: Codable, Sendable {
  var id: Int
  var street: String?
  var city: String?
}

struct Person: Codable, Sendable, Identifiable {
  var id: Int
  var name: String
  var age: Int?
  var home: Address?
}

let store = try Store(.inMemory, classes: [])
let people = try store.collection(of: Person.self, indexes: [.init(\.age), .init(\.name, unique: true)])

// Save one value, or several: all or none.
try people.save(Person(id: 1, name: "Ann", age: 30, home: Address(id: 7, street: "Main", city: "Boston")))
let saved = try people.save(contentsOf: [Person(id: 2, name: "Bob", age: 20), Person(id: 3, name: "Cid")])
try store.saveChanges()
print(saved.inserted.map(\.name), try people.count())  // ["Bob", "Cid"] 3

// A save is merged into the stored value: nil keeps what is stored, and nested values merge by their ids.
let merged = try people.save(Person(id: 1, name: "Anna", home: Address(id: 7, street: "Side")))
print(merged.age ?? 0, merged.home?.street ?? "?", merged.home?.city ?? "?")  // 30 Side Boston
print(try people.save(Person(id: 2, name: "Bob"), .replacing).age as Any)  // nil

// Values are copies, and all calls see pending saves.
print(try people[1]?.name ?? "?", try people[9] == nil)  // Anna true
print(try people.find { $0.age > 20 && $0.home.city == "Boston" }.map(\.name))  // ["Anna"]
print(try people.find(orderBy: \.name, .descending, limit: 2).map(\.name))  // ["Cid", "Bob"]
print(try people.first { $0.name == "Cid" }?.id ?? 0)  // 3

// Delete by condition, and get the deleted values.
print(try people.delete { $0.age == nil }.map(\.name))  // ["Bob", "Cid"]
try store.saveChanges()
print(try people.count())  // 1
