import Foundation
import TestSupport
import Testing
import Todana

private class Base: StoredObject {
  var name = "n"
}

private final class Everything: Base {
  @Loaded var text = "t"
  var count: Int? = 3
  var none: Date?
  var long = String(repeating: "x", count: 100)
  var few = [1, 2]
  var many = Array(0..<100)
  var bytes = Data([1, 2, 3])
  var prices = ["a": 1]
  var friend: Everything?
  var lazy = LazyReferences<Everything>()

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

@Suite struct ObjectDescriptionTests {
  let store: Store

  init() throws { store = try Store(.inMemory, classes: [Everything.self, Song.self]) }

  @Test func `a description has the properties of all classes of an object, shortened`() throws {
    let object = Everything()
    object.friend = object
    let id = try store.insert(object)
    let expected = """
      Everything \(id) (name: "n", text: "t", count: 3, none: nil, long: "\(String(repeating: "x", count: 59))…, \
      few: [1, 2], many: 100 elements, bytes: 3 bytes, prices: ["a": 1], friend: Everything \(id), lazy: 0 references) \
      (inserted)
      """
    #expect(object.description == expected)
  }

  @Test func `a description loads nothing`() throws {
    let id = try store.insert(Everything())
    try store.saveChanges()
    let object = try #require(try store.fetch(id))
    try store.turnIntoFault(object)
    #expect(object.description == "Everything \(id) (not loaded)")
    #expect(object.isFault)
  }
}
