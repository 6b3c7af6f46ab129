import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

@Suite struct ValueImportTests {
  struct Person: Codable, Sendable, Identifiable, Equatable {
    var id: Int
    var name: String
    var age: Int?
    var birthday: Date?
  }

  let directory: TemporaryDirectory
  let store: Store
  let people: ValueCollection<Person>

  init() throws {
    directory = try TemporaryDirectory()
    store = try Store(.inMemory, classes: [])
    people = try store.collection(of: Person.self)
  }

  @Test func `values come back through each format`() throws {
    var values: [Person] = []
    for number in 0..<50 {
      var person = Person(id: number, name: "Ann \"\(number)\",\n")
      if number % 3 != 0 { person.age = number }
      if number % 2 == 0 { person.birthday = Date(timeIntervalSinceReferenceDate: Double(number) * 1e6) }
      values.append(person)
    }
    try people.save(contentsOf: values)
    try store.saveChanges()
    for (number, format) in [RowFormat.jsonLines(), .jsonArray(), .propertyList(isBinary: true)].enumerated() {
      let path = directory.path("people \(number)")
      #expect(try people.exportRows(to: path, as: format) == 50)
      let copy = try store.collection(of: Person.self, named: "copy \(number)")
      #expect(try copy.importRows(from: path, as: format).rowCount == 50)
      #expect(try copy.find() == values)
      // A second import finds the same values.
      try copy.importRows(from: path, as: format)
      #expect(try copy.count() == 50)
    }
    #expect(try people.exportRows(to: directory.path("some"), as: .jsonLines()) { $0.age > 40 } == 6)
  }

  @Test func `a row that is no value is reported with its line`() throws {
    let path = directory.path("people.csv")
    try Data("id,name,age\n1,Ann,30\nx,Bob,2\n3,Cid,\n".utf8).write(to: URL(filePath: path))
    do {
      try people.importRows(from: path, as: .csv())
      Issue.record("a text was imported as a number")
    } catch let error as ImportError {
      #expect(error.lineNumber == 3)
    }
    try people.forgetUnfinishedImport()
    var lines: [Int?] = []
    let summary = try people.importRows(
      from: path, as: .csv(), options: ImportOptions(errorPolicy: .skip { lines.append($0.lineNumber) }))
    #expect(lines == [3])
    #expect(summary.rowCount == 2)
    #expect(try people.find() == [Person(id: 1, name: "Ann", age: 30), Person(id: 3, name: "Cid")])
  }
}
