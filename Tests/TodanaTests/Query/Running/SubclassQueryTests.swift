import TestSupport
import Testing
import Todana

private class Person: StoredObject {
  var name = ""
  var age = 0
  override class var indexes: [Index] { [Index(\Person.age, name: "age")] }
  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    age = try buffer.readInt()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeInt(age)
  }
}

private class Employee: Person {
  var salary = 1
  override func readContent(from buffer: inout DataBuffer) throws {
    try super.readContent(from: &buffer)
    salary = try buffer.readInt()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    super.writeContent(to: &buffer)
    buffer.writeInt(salary)
  }
}

private final class Manager: Employee {}

@Suite(.plainAndEncrypted) struct SubclassQueryTests {
  let store: Store
  private let people: [Person]

  init() throws {
    let classes: [StoredObject.Type] = [Song.self, Manager.self, Person.self, Employee.self]
    store = try Store(backend: FaultyBackend(), classes: classes)
    var people: [Person] = []
    for number in 0..<90 {
      let person = number % 3 == 0 ? Person() : number % 3 == 1 ? Employee() : Manager()
      person.name = "p\(number)"
      person.age = number * 7 % 30
      try store.insert(person)
      people.append(person)
    }
    try store.saveChanges()
    self.people = people
  }

  /// The identities of people, in the order of identities.
  private func expected(_ isIncluded: (Person) -> Bool) -> [AnyObjectID] {
    people.filter(isIncluded).compactMap(\.anyID).sorted()
  }

  private func found<T: Person>(_ query: Query<T>) throws -> [AnyObjectID] {
    try store.fetch(query).compactMap(\.anyID)
  }

  @Test func `a query finds objects of exactly its class, or also of its subclasses`() throws {
    let query = Person.where { $0[\.age, loading: \.self] > 20 }
    #expect(try found(query) == expected { type(of: $0) == Person.self && $0.age > 20 })
    let all = query.includingSubclasses()
    #expect(try found(all) == expected { $0.age > 20 })
    #expect(try store.count(all) == expected { $0.age > 20 }.count)
    #expect(try store.ids(all).map(\.untyped) == expected { $0.age > 20 })
    #expect(try store.exists(all))
    #expect(try found(all.includingSubclasses(false)) == found(query))
    let employees = Employee.where { $0[\.age, loading: \.self] > 20 }.includingSubclasses()
    #expect(try found(employees) == expected { $0 is Employee && $0.age > 20 })
    #expect(try store.fetch(Person.all.includingSubclasses()).count == 90)
    #expect(try store.count(Person.all.includingSubclasses()) == 90)
  }

  @Test func `sorts, limits and offsets apply to all classes together`() throws {
    let sorted = people.sorted { $0.age != $1.age ? $0.age < $1.age : $0.anyID! < $1.anyID! }.compactMap(\.anyID)
    let query = Person.all.includingSubclasses().sorted(by: \.age, loading: \.self)
    #expect(try found(query) == sorted)
    #expect(try found(query.offset(10).limit(15)) == Array(sorted[10..<25]))
    #expect(try store.ids(query.limit(7)).map(\.untyped) == Array(sorted.prefix(7)))
    #expect(try store.first(query)?.anyID == sorted[0])
    #expect(try store.values(query.limit(5), of: \.name, loading: \.self).count == 5)
    let unsorted = Person.all.includingSubclasses().offset(25).limit(40)
    #expect(try found(unsorted) == Array(expected { _ in true }[25..<65]))
    #expect(try store.count(unsorted) == 40)
  }

  @Test func `pages follow each other over equal keys of several classes`() throws {
    for query in [
      Person.all.includingSubclasses().sorted(by: \.age, loading: \.self),
      Person.all.includingSubclasses().sorted(by: \.age, .descending, loading: \.self),
      Person.all.includingSubclasses(),
    ] {
      let whole = try found(query)
      var pages: [AnyObjectID] = []
      var page = try store.fetch(query.limit(7))
      while let last = page.last {
        pages += page.compactMap(\.anyID)
        page = try store.fetch(query.after(last).limit(7))
      }
      #expect(pages == whole)
    }
  }

  @Test func `values, sums and groups include subclasses`() throws {
    let query = Person.all.includingSubclasses()
    #expect(try store.sum(query, of: \.age, loading: \.self) == people.map(\.age).reduce(0, +))
    #expect(try store.maximum(query, of: \.age, loading: \.self) == people.map(\.age).max())
    #expect(try store.groups(query, by: \.age, loading: \.self).map(\.count).reduce(0, +) == 90)
    #expect(try store.values(query) { $0.name }.count == 90)
    #expect(try store.distinctValues(query, of: \.name, loading: \.self).count == 90)
  }

  @Test func `pending changes, updates and deletes concern all classes`() throws {
    let manager = Manager()
    manager.age = 99
    try store.insert(manager)
    let old = Person.where { $0[\.age, loading: \.self] > 27 }.includingSubclasses()
    #expect(try store.fetch(old).contains(manager))
    #expect(try store.update(old) { $0.age = 100 }.count == 1 + expected { $0.age > 27 }.count)
    try store.saveChanges()
    #expect(try store.delete(Person.where { $0[\.age, loading: \.self] == 100 }.includingSubclasses()).count > 3)
    try store.saveChanges()
    #expect(try store.count(old) == 0)
    var visited = 0
    try store.forEach(Person.all.includingSubclasses()) { _, _ in visited += 1 }
    #expect(visited == expected { $0.store != nil }.count)
    #expect(try store.verify().problems.isEmpty)
  }

  @Test func `an identity of a subclass is found by its class`() throws {
    let employee = try #require(people.first { type(of: $0) == Employee.self })
    let id = ObjectID<Person>(unchecked: try #require(employee.anyID))
    #expect(try store.fetch(Person.where { $0.id == id }).isEmpty)
    #expect(try store.fetch(Person.where { $0.id == id }.includingSubclasses()) == [employee])
  }

  @Test func `the plan names each class`() throws {
    let plan = try store.explain(Person.all.includingSubclasses().sorted(by: \.age, loading: \.self))
    for name in ["Person", "Employee", "Manager"] { #expect(plan.steps.contains { $0.hasPrefix("\(name): ") }) }
    #expect(throws: StoreError.self) { try store.fetch(Playlist.all.includingSubclasses()) }
  }
}
