// Comparisons of properties with integers of other types.
import TestSupport
import Testing
import Todana

private final class Gauge: StoredObject {
  @Loaded var level: UInt8 = 0
  @Loaded var offset: Int8?

  override class var indexes: [Index] { [Index(\Gauge.level), Index(\Gauge.offset)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    level = try buffer.readUInt8()
    offset = try buffer.readBool() ? buffer.readInt8() : nil
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt8(level)
    buffer.writeBool(offset != nil)
    if let offset { buffer.writeInt8(offset) }
  }
}

struct IntegerComparisonTests {
  private let store: Store
  private static let levels: [UInt8] = [0, 1, 100, 127, 128, 254, 255]
  private static let offsets: [Int8?] = [nil, -128, -1, 0, 1, 127, nil]

  init() throws {
    store = try Store(.inMemory, classes: [Gauge.self])
    for (level, offset) in zip(Self.levels, Self.offsets) {
      let gauge = Gauge()
      (gauge.level, gauge.offset) = (level, offset)
      try store.insert(gauge)
    }
    try store.saveChanges()
  }

  private func levels(_ query: Query<Gauge>) throws -> [UInt8] { try store.values(query, of: \.level) }

  private func offsets(_ query: Query<Gauge>) throws -> [Int8?] { try store.values(query, of: \.offset) }

  @Test(arguments: [Int.min, -129, -128, -1, 0, 1, 100, 127, 128, 254, 255, 256, 1000, .max])
  func `numbers are compared, also those outside the range of the property's type`(number: Int) throws {
    #expect(try levels(Gauge.where { $0.level == number }) == Self.levels.filter { $0 == number })
    #expect(try levels(Gauge.where { $0.level != number }) == Self.levels.filter { $0 != number })
    #expect(try levels(Gauge.where { $0.level < number }) == Self.levels.filter { $0 < number })
    #expect(try levels(Gauge.where { $0.level <= number }) == Self.levels.filter { $0 <= number })
    #expect(try levels(Gauge.where { $0.level > number }) == Self.levels.filter { $0 > number })
    #expect(try levels(Gauge.where { $0.level >= number }) == Self.levels.filter { $0 >= number })
    let present = Self.offsets
    #expect(try offsets(Gauge.where { $0.offset == number }) == present.filter { $0.map { $0 == number } ?? false })
    #expect(try offsets(Gauge.where { $0.offset != number }) == present.filter { $0.map { $0 != number } ?? true })
    #expect(try offsets(Gauge.where { $0.offset < number }) == present.filter { $0.map { $0 < number } ?? false })
    #expect(try offsets(Gauge.where { $0.offset <= number }) == present.filter { $0.map { $0 <= number } ?? false })
    #expect(try offsets(Gauge.where { $0.offset > number }) == present.filter { $0.map { $0 > number } ?? false })
    #expect(try offsets(Gauge.where { $0.offset >= number }) == present.filter { $0.map { $0 >= number } ?? false })
  }
}
