import SpeedTestHarness
import Todana
import TodanaDocuments

/// A collection of documents in a Todana store.
struct TodanaDocumentSubject: DocumentSubject {
  let name = "todana"

  private func with<Result>(_ directory: String, _ body: (Store, DocumentCollection) throws -> Result) throws -> Result
  {
    let store = try Store(.directory(directory + "/People.todana"), classes: [])
    let result = try body(store, try store.documents("people"))
    try store.close()
    return result
  }

  func insert(_ people: PeopleSource, isIndexed: Bool, in directory: String) throws {
    try with(directory) { store, collection in
      if isIndexed {
        try collection.addIndex("[age]")
        try collection.addIndex("[address.city], [last_name]")
      }
      for index in 0..<people.count {
        let person = people.person(index)
        try collection.insert([
          "first_name": .init(person.firstName), "last_name": .init(person.lastName), "email": .init(person.email),
          "age": .init(person.age), "score": .init(person.score), "active": .init(person.isActive),
          "address": ["country": .init(person.country), "city": .init(person.city)],
        ])
      }
      try store.saveChanges()
    }
  }

  func fetch(
    at positions: [Int], in directory: String, measure: (() throws -> Checksum) throws -> Checksum
  ) throws -> Checksum {
    let keys = try with(directory) { store, collection in
      try store.fetch(collection.all).map(\.key)
    }
    return try measure {
      try with(directory) { _, collection in
        var checksum = Checksum()
        for position in positions {
          if let document = try collection.document(for: keys[position]) { checksum.add(document) }
        }
        return checksum
      }
    }
  }

  func fetch(ofCities cities: [String], in directory: String) throws -> Checksum {
    try with(directory) { _, collection in
      var checksum = Checksum()
      for city in cities {
        for document in try collection.find("[address.city] = ?", city) { checksum.add(document) }
      }
      return checksum
    }
  }

  func fetch(ofAges ranges: [Range<Int>], limit: Int, in directory: String) throws -> Checksum {
    try with(directory) { _, collection in
      var checksum = Checksum()
      for range in ranges {
        let found = try collection.find(
          "[age] >= ? AND [age] < ?", range.lowerBound, range.upperBound, orderBy: "[age]", limit: limit)
        for document in found { checksum.add(document) }
      }
      return checksum
    }
  }

  func indexEverything(in directory: String) throws {
    try with(directory) { store, collection in
      try collection.indexEverything()
      try store.buildIndexes()
    }
  }

  func fetch(withAnyValue values: [String], in directory: String) throws -> Checksum {
    try with(directory) { _, collection in
      var checksum = Checksum()
      for value in values { for document in try collection.find(anyValue: value) { checksum.add(document) } }
      return checksum
    }
  }
}

extension Checksum {
  fileprivate mutating func add(_ document: Document) {
    add(title: document["email"]?.string ?? "", seconds: UInt32(document["age"]?.int ?? 0))
  }
}
