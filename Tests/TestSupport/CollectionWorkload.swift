public import Todana

/// Changes of collections and saves of their objects that depend only on their number, so that a second process knows
/// the state after each one.
///
/// Step *n* saves an item with this number. Before that, it adds or removes the index of the items, renames their
/// collection, and makes or drops another collection, each in a commit of its own.
public enum CollectionWorkload {
  public final class Item: StoredObject {
    public var number = 0

    public override class var isInCollections: Bool { true }

    /// A description of one byte declares an index; an empty one does not.
    public override class func collectionIndexes(
      ofCollection name: String, description: [UInt8]
    ) throws -> CollectionIndexes {
      CollectionIndexes(
        indexes: description.isEmpty ? [] : [Index(parts: [.ascending(numberProperty)], unique: true, name: "number")])
    }

    static let numberProperty = DerivedProperty<Item, Int>("number") { $0.number }

    public override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(number) }
    public override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readInt() }
  }

  private static let names = ["items", "things"]
  private static let other = "others"

  private static func name(after number: Int) -> String { names[number / 5 % 2] }
  private static func description(after number: Int) -> [UInt8] { number / 3 % 2 == 1 ? [1] : [] }
  private static func hasOther(after number: Int) -> Bool { number % 4 != 3 }

  private static func all(_ name: String) -> Query<Item> { Query<Item>(where: .always).in(collection: name) }

  private static func presentName(in store: Store) throws -> String? {
    try store.collectionNames(of: Item.self).first { names.contains($0) }
  }

  /// Returns the number of steps that a store has saved.
  public static func stepCount(of store: Store) throws -> Int {
    try presentName(in: store).map { try store.count(all($0)) } ?? 0
  }

  /// Carries out a step, of which a part may have been carried out before.
  public static func carryOut(_ number: Int, in store: Store, durability: Durability? = nil) throws {
    let name = name(after: number)
    let present = try presentName(in: store)
    if let present, present != name { try store.renameCollection(named: present, of: Item.self, to: name) }
    let description = description(after: number)
    if try store.collectionDescription(named: name, of: Item.self) != description {
      try store.describeCollection(named: name, of: Item.self, description)
    }
    let exists = try store.collectionNames(of: Item.self).contains(other)
    if exists, !hasOther(after: number) { try store.dropCollection(named: other, of: Item.self) }
    if !exists, hasOther(after: number) { try store.describeCollection(named: other, of: Item.self, [1]) }
    let item = Item()
    item.number = number
    try store.insert(item, into: name)
    if hasOther(after: number) {
      let copy = Item()
      copy.number = number
      try store.insert(copy, into: other)
    }
    try store.saveChanges(durability: durability)
  }

  /// Returns how a store differs from its state after a step, apart from parts of the next step that are not saved.
  public static func differences(of store: Store, after number: Int) throws -> [String] {
    var differences: [String] = []
    let present = try store.collectionNames(of: Item.self)
    guard let name = try presentName(in: store) else { return number == 0 ? [] : ["there are no items"] }
    if present.filter({ names.contains($0) }).count != 1 { differences.append("collections: \(present)") }
    if ![Self.name(after: number), Self.name(after: number + 1)].contains(name) { differences.append("name \(name)") }
    if present.contains(other) != hasOther(after: number), present.contains(other) != hasOther(after: number + 1) {
      differences.append("collections: \(present)")
    }
    let numbers = try store.fetch(all(name)).map(\.number)
    if numbers.sorted() != Array(1..<(number + 1)) { differences.append("items: \(numbers)") }
    for wanted in stride(from: 1, through: number, by: 7) {
      let found = try store.fetch(all(name).where { _ in Item.numberProperty.property == wanted })
      if found.map(\.number) != [wanted] { differences.append("found \(found.map(\.number)) for \(wanted)") }
    }
    let report = try store.verify()
    if !report.isSound { differences.append("\(report)") }
    return differences
  }
}
