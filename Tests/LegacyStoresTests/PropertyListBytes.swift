/// A writer of binary property lists, for objects that Foundation does not write: references, cycles and classes.
struct PropertyListBytes {
  indirect enum Node {
    case string(String)
    case integer(UInt8)
    case data([UInt8])
    case reference(UInt8)
    case array([Node])
    case dictionary([(String, Node)])
  }

  private var objects: [[UInt8]] = []

  /// Returns a keyed archive of objects, whose first one stands for nil, and whose second one is the root.
  static func archive(_ objects: [Node]) -> [UInt8] {
    bytes(
      .dictionary([
        ("$archiver", .string("NSKeyedArchiver")), ("$version", .integer(1)),
        ("$objects", .array([.string("$null")] + objects)), ("$top", .dictionary([("root", .reference(1))])),
      ]))
  }

  /// Returns the description of a class in an archive.
  static func type(_ name: String) -> Node {
    .dictionary([("$classname", .string(name)), ("$classes", .array([.string(name), .string("NSObject")]))])
  }

  static func bytes(_ node: Node) -> [UInt8] {
    var writer = PropertyListBytes()
    let top = writer.add(node)
    return writer.finish(top: top)
  }

  /// Returns the bytes of encoded objects, whose references have two bytes.
  static func bytes(objects: [[UInt8]], top: Int) -> [UInt8] { PropertyListBytes(objects: objects).finish(top: top) }

  private init(objects: [[UInt8]] = []) { self.objects = objects }

  private mutating func add(_ node: Node) -> Int {
    let place = objects.count
    objects.append([])
    switch node {
    case .string(let text): objects[place] = Self.counted(0x50, text.utf8.count) + Array(text.utf8)
    case .integer(let value): objects[place] = [0x10, value]
    case .data(let bytes): objects[place] = Self.counted(0x40, bytes.count) + bytes
    case .reference(let number): objects[place] = [0x80, number]
    case .array(let elements):
      let references = elements.map { Self.two(add($0)) }
      objects[place] = Self.counted(0xA0, elements.count) + references.joined()
    case .dictionary(let entries):
      let keys = entries.map { Self.two(add(.string($0.0))) }
      let values = entries.map { Self.two(add($0.1)) }
      objects[place] = Self.counted(0xD0, entries.count) + keys.joined() + values.joined()
    }
    return place
  }

  static func counted(_ marker: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [marker | UInt8(count)] : [marker | 0xF, 0x11] + two(count)
  }

  static func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

  private func finish(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += Self.eight(bytes.count).suffix(4)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 4, 2] + Self.eight(objects.count) + Self.eight(top) + Self.eight(table)
    return bytes
  }

  private static func eight(_ number: Int) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
