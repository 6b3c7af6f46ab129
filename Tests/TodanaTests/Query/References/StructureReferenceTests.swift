import TestSupport
import Testing

@testable import Todana

/// References in structures, among them optional ones, on the path to a property.
@Suite struct StructureReferenceTests {
  struct Shelf {
    var label = ""
    var box: Box?
  }

  final class Box: StoredObject {
    var name = ""
    var next: Box?
    var owner: Crate?

    convenience init(_ name: String, next: Box? = nil) {
      self.init()
      (self.name, self.next) = (name, next)
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      (name, next, owner) = (try buffer.readString(), try buffer.readReference(), try buffer.readReference())
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(name)
      buffer.writeReference(next)
      buffer.writeReference(owner)
    }
  }

  final class Crate: StoredObject {
    var number = 0
    var shelf = Shelf()
    var spare: Shelf?
    var inner: Crate?

    override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      shelf = Shelf(label: try buffer.readString(), box: try buffer.readReference())
      spare = try buffer.readBool() ? Shelf(label: try buffer.readString(), box: try buffer.readReference()) : nil
      inner = try buffer.readReference()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeString(shelf.label)
      buffer.writeReference(shelf.box)
      buffer.writeBool(spare != nil)
      if let spare {
        buffer.writeString(spare.label)
        buffer.writeReference(spare.box)
      }
      buffer.writeReference(inner)
    }
  }

  private static let names = ["a", "b", "c", "d"]

  /// Saves twelve crates.
  ///
  /// Every third has no spare shelf, and every fourth has no box on it.
  private static func fill(_ store: Store) throws {
    var crates: [Crate] = []
    for number in 0..<12 {
      let crate = Crate()
      crate.number = number
      let box = Box(names[number % 4], next: number % 2 == 0 ? Box(names[number % 3]) : nil)
      crate.shelf = Shelf(label: "s", box: number % 5 == 0 ? nil : box)
      crate.spare = number % 3 == 0 ? nil : Shelf(label: names[number % 2], box: number % 4 == 3 ? nil : box)
      crate.inner = number > 0 ? crates[number / 2] : nil
      box.owner = crate.inner
      if let next = box.next { try store.insert(next) }
      try store.insert(box)
      try store.insert(crate)
      crates.append(crate)
    }
  }

  /// A condition, and its value for a crate whose objects are loaded.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let condition: Condition<Crate>
    let holds: @Sendable (Crate) -> Bool

    init(_ text: String, _ condition: Condition<Crate>, _ holds: @escaping @Sendable (Crate) -> Bool) {
      (self.testDescription, self.condition, self.holds) = (text, condition, holds)
    }
  }

  private static let crate = Properties<Crate>()
  static let cases = [
    Case("spare.label", crate.spare.label == "a") { $0.spare?.label == "a" },
    Case("spare.box is nil", crate.spare.box == nil) { $0.spare?.box == nil },
    Case("spare.box.name", crate.spare.box.name == "b") { $0.spare?.box?.name == "b" },
    Case("spare.box.name is nil", crate.spare.box.name == nil) { $0.spare?.box == nil },
    Case("spare.box.next.name", crate.spare.box.next.name >= "a") { $0.spare?.box?.next != nil },
    Case("spare.box.owner.number", crate.spare.box.owner.number > 1) { ($0.spare?.box?.owner?.number ?? 0) > 1 },
    Case("spare.box.owner.spare.box.name", crate.spare.box.owner.spare.box.name != "a") {
      $0.spare?.box?.owner?.spare?.box?.name != "a"
    },
    Case("shelf.box.next.name", crate.shelf.box.next.name < "c") { ($0.shelf.box?.next?.name ?? "z") < "c" },
    Case("inner.spare.box.name", crate.inner.spare.box.name == "c") { $0.inner?.spare?.box?.name == "c" },
    Case("inner.inner.spare.label", crate.inner.inner.spare.label == "b") { $0.inner?.inner?.spare?.label == "b" },
    Case("inner.shelf.box.owner.spare.box.next.name", crate.inner.shelf.box.owner.spare.box.next.name == nil) {
      $0.inner?.shelf.box?.owner?.spare?.box?.next == nil
    },
  ]

  @Test(arguments: cases, [EveryBackend.directory, .inMemory])
  func `a condition holds for the objects for which Swift's own expression holds`(
    _ made: Case, _ kind: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [Crate.self, Box.self])
    try Self.fill(store)
    let right = try store.fetch(Crate.self).filter(made.holds).map(\.number).sorted()
    #expect(!right.isEmpty && right.count < 12)
    let query = Crate.where { _ in made.condition }.sorted(by: \.number)
    for step in ["pending", "saved", "faults"] {
      if step == "saved" { try store.saveChanges() }
      if step == "faults" { try store.turnCleanObjectsIntoFaults() }
      #expect(try store.fetch(query).map(\.number) == right, "\(step)")
      #expect(try store.count(query) == right.count, "\(step)")
      #expect(try store.ids(query).count == right.count, "\(step)")
      #expect(try store.values(query, of: \.number) == right, "\(step)")
    }
    // Query in another store, where no objects are loaded and one is pending.
    let other = try Store(backend: backend, classes: [Crate.self, Box.self])
    let changed = try #require(try other.fetch(Crate.all.sorted(by: \.number)).last)
    try other.update(changed) { $0.shelf.label = "changed" }
    try other.turnCleanObjectsIntoFaults()
    #expect(try other.ids(query).count == right.count)
    #expect(try other.fetch(query).map(\.number) == right)
    try other.close(discarding: true)
    try store.close()
    try backend.close()
  }

  @Test func `a reference in an optional structure of another object cannot be loaded for a value`() throws {
    let store = try Store(.inMemory, classes: [Crate.self, Box.self])
    #expect(throws: StoreError.self) { try store.fetch(Crate.all.sorted(by: \.inner?.spare?.box?.name)) }
    let number = Self.crate[\Crate.number, loading: \Crate.inner?.spare?.box]
    let query = Crate.where { _ in number == 1 }
    let error = #expect(throws: StoreError.self) { try store.fetch(query) }
    #expect(error?.message.contains("optional structure") == true)
    try store.close()
  }

  @Test func `a property of an optional structure is one of the object itself`() {
    #expect(Self.crate.spare.label.path.isOwnProperty)
    #expect(Self.crate.spare.box.path.isOwnProperty)
    #expect(!Self.crate.spare.box.name.path.isOwnProperty)
    #expect(!Self.crate.inner.spare.label.path.isOwnProperty)
  }
}
