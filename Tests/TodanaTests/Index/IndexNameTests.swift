// The names of indexed properties that are read through accessors: with wrappers, with observers, and of open classes.
import TestSupport
import Testing
import Todana

/// A class that may have subclasses, so that its key paths read through accessors.
private class Openable: StoredObject {
  @Loaded var label = ""
  var width: UInt32 = 0
  var height: UInt32 = 0 { didSet { changeCount += 1 } }
  @Loaded var isLarge = false
  @Loaded var isRound = false
  var changeCount = 0

  /// A computed property that belongs to the object alone, with the same values as no field.
  var doubleWidth: UInt32 {
    get { width &* 2 }
    set { width = newValue / 2 }
  }
  /// Another name of the property.
  var breadth: UInt32 {
    get { width }
    set { width = newValue }
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    label = try buffer.readString()
    width = try buffer.readUInt32()
    height = try buffer.readUInt32()
    isLarge = try buffer.readBool()
    isRound = try buffer.readBool()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(label)
    buffer.writeUInt32(width)
    buffer.writeUInt32(height)
    buffer.writeBool(isLarge)
    buffer.writeBool(isRound)
  }
}

private final class Indexed: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] {
    [
      Index(\Indexed.label), Index(\Indexed.width, .descending(\Indexed.height)), Index(.folded(\Indexed.label)),
      Index(\Indexed.height, where: { $0.isLarge }),
    ]
  }
}

private final class Aliased: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\Aliased.breadth)] }
}

private final class Nameless: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\Nameless.doubleWidth)] }
}

private final class LargeOnes: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\LargeOnes.label, name: "some", where: { $0.isLarge })] }
}

private final class RoundOnes: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\RoundOnes.label, name: "some", where: { $0.isRound })] }
}

private final class OfWidth: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\OfWidth.width, name: "size")] }
}

private final class OfHeight: Openable {
  override class var storedName: String { "Thing" }
  override class var indexes: [Index] { [Index(\OfHeight.height, name: "size")] }
}

struct IndexNameTests {
  @Test("An index without a name has the names of its properties, however they are stored")
  func names() throws {
    let store = try Store(.inMemory, classes: [Indexed.self])
    let names = try store.indexes.map(\.name)
    #expect(names == ["label", "width, -height", "folded(label)", "height"])
    let aliased = try Store(.inMemory, classes: [Aliased.self])
    #expect(try aliased.indexes.map(\.name) == ["width"])
  }

  @Test("An index on a property without a known name needs a name of its own")
  func unknownName() {
    #expect { try Store(.inMemory, classes: [Nameless.self]) } throws: { error in
      (error as? StoreError)?.code == .invalidIndex && "\(error)".contains("Index 1 of Thing has no name")
    }
  }

  @Test("A plan names the properties of conditions and sorts, however they are stored")
  func plan() throws {
    let store = try Store(.inMemory, classes: [Indexed.self])
    let plan = try store.explain(
      Indexed.where { $0.label == "a" && $0.height > 3 && $0.isRound }.sorted(by: \.isLarge)
    ).description
    #expect(plan.contains("height > 3"))
    #expect(plan.contains("isRound == true"))
    #expect(plan.contains("Sort by isLarge"))
    #expect(plan.contains("label"))
  }

  @Test("An index with the same name is built again if it is over another property that is read through accessors")
  func otherProperty() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("Store")
    try Self.fill(path, OfWidth.self)
    let store = try Store(.directory(path), classes: [OfHeight.self])
    defer { try? store.close() }
    #expect(try store.count(OfHeight.where { $0.height >= 90 }) == 10)
    #expect(try store.verify().isSound)
  }

  @Test("A partial index with the same name is built again if its condition is on another property")
  func otherCondition() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("Store")
    try Self.fill(path, LargeOnes.self)
    let store = try Store(.directory(path), classes: [RoundOnes.self])
    defer { try? store.close() }
    let query = RoundOnes.where { $0.isRound && $0.label == "9" }
    #expect(try store.explain(query).description.contains("some"))
    #expect(try store.count(query) == 1)
    #expect(try store.verify().isSound)
  }

  /// Saves 100 objects: every other one is large, every third is round; heights are 0 to 99, and widths descend.
  private static func fill<Object: Openable>(_ path: String, _ type: Object.Type) throws {
    let store = try Store(.directory(path), classes: [type])
    for number in 0..<100 {
      let object = type.init()
      object.label = "\(number)"
      object.width = UInt32(200 - number)
      object.height = UInt32(number)
      object.isLarge = number % 2 == 0
      object.isRound = number % 3 == 0
      try store.insert(object)
    }
    try store.saveChanges()
    try store.close()
  }
}
