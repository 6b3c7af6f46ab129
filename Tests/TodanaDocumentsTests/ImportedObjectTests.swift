import Foundation
import Testing
import Todana
import TodanaDocuments

@Suite struct ImportedObjectTests {
  private let key = UUID()
  private let date = Date(timeIntervalSinceReferenceDate: 1000)

  @Test func classNameAndTimeAreKept() throws {
    let store = try Store(.inMemory, classes: [])
    let people = try store.documents("people")
    try people.insert(Document(["name": "Doe"], key: key, originalClassName: "Person", savedAt: date))
    try people.insert(Document(["name": "Smith"], key: nil, originalClassName: nil))
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [])
    let doe = try #require(try other.documents("people").document(for: key))
    #expect(doe.originalClassName == "Person" && doe.savedAt == date)
    #expect(try other.documents("people").find("savedAt < ?", Date(timeIntervalSinceReferenceDate: 1001)) == [doe])
    let smith = try #require(try other.documents("people").find("[name] = 'Smith'").first)
    #expect(smith.originalClassName == nil)
    #expect(try #require(smith.savedAt) > Date(timeIntervalSinceNow: -60))
    // A change has a time of its own.
    doe["name"] = "Jones"
    try other.saveChanges()
    #expect(try #require(doe.savedAt) > Date(timeIntervalSinceNow: -60))
    #expect(doe.originalClassName == "Person")
  }

  @Test func aChangeBeforeTheFirstSaveHasATimeOfItsOwn() throws {
    let store = try Store(.inMemory, classes: [])
    let document = try Document(["name": "Doe"], key: key, originalClassName: nil, savedAt: date)
    try store.documents("people").insert(document)
    try document.change { try $0.set("Smith", at: "name") }
    try store.saveChanges()
    #expect(try #require(document.savedAt) > Date(timeIntervalSinceNow: -60))
  }

  @Test func bagsGetTheirKeys() throws {
    let store = try Store(.inMemory, classes: [])
    try store.insert(Bag(name: "friends", key: key))
    try store.saveChanges()
    #expect(try store.bag(key: key)?.name == "friends")
    try store.insert(Bag(name: "twice", key: key))
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
  }
}
