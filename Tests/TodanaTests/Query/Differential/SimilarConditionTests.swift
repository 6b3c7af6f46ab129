// Opens a store repeatedly with partial indexes of one name and slightly different conditions. Their descriptions do
// not show the difference. Queries with these indexes are compared with those of a class without indexes.
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Todana

@Suite(.serialized) struct SimilarConditionTests {
  class Sample: StoredObject {
    var number = 0
    var seat = 0
    var kind = ""
    var date = Date(timeIntervalSince1970: 0)
    var real = 0.0
    var data = Data()
    var decimal = Decimal()

    override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      seat = try buffer.readInt()
      kind = try buffer.readString()
      date = try buffer.readDate()
      real = try buffer.readDouble()
      data = Data(try buffer.readBytes())
      decimal = try buffer.readDecimal()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeInt(seat)
      buffer.writeString(kind)
      buffer.writeDate(date)
      buffer.writeDouble(real)
      buffer.writeBytes([UInt8](data))
      buffer.writeDecimal(decimal)
    }
  }

  final class PlainSample: Sample {}

  final class IndexedSample: Sample {
    static let declared = Mutex<[Index]>([])
    override class var indexes: [Index] { declared.withLock { $0 } }
  }

  /// A condition that differs slightly from others of its kind.
  private struct Similar {
    let kind: Int
    let variant: Int

    static let long = String(repeating: "x", count: 300)

    func condition<Kind: Sample>(of type: Kind.Type) -> Condition<Kind> {
      let properties = Properties<Kind>()
      switch kind {
      case 0: return properties.kind.isIn((0..<6).map { "\($0)" } + ["\(6 + variant)"])
      case 1: return properties.seat.isIn(Array(0..<40) + [40 + variant])
      case 2: return properties.date >= Date(timeIntervalSince1970: Double(variant) / 4)
      case 3: return properties.data == Data([1, UInt8(variant)])
      case 4: return properties.kind != Self.long + "\(variant)"
      case 5: return properties.real < (0..<variant).reduce(1.0) { value, _ in value.nextUp }
      default: return !(properties.decimal == Decimal(sign: .plus, exponent: -30, significand: Decimal(variant)))
      }
    }
  }

  private static func fill(_ sample: Sample, _ generator: inout SeededGenerator) {
    sample.seat = generator.number(50)
    sample.kind = generator.chance(3) ? Similar.long + "\(generator.number(3))" : "\(generator.number(9))"
    sample.date = Date(timeIntervalSince1970: Double(generator.number(4)) / 4)
    sample.real = (0..<generator.number(3)).reduce(1.0) { value, _ in value.nextUp }
    sample.data = Data([1, UInt8(generator.number(3))])
    sample.decimal = Decimal(sign: .plus, exponent: -30, significand: Decimal(generator.number(3)))
  }

  private static let seeds = RandomSeeds.seeds(new: 2, long: 40)

  @Test(arguments: seeds)
  func `an index is rebuilt when its condition changes slightly`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let backend = try EveryBackend.inMemory.open(in: TemporaryDirectory())
    func open() throws -> Store { try Store(backend: backend, classes: [PlainSample.self, IndexedSample.self]) }
    IndexedSample.declared.withLock { $0 = [] }
    var store = try open()
    for number in 0..<2_000 {
      let (plain, indexed) = (PlainSample(), IndexedSample())
      var other = generator
      Self.fill(plain, &generator)
      Self.fill(indexed, &other)
      (plain.number, indexed.number) = (number, number)
      try store.insert(plain)
      try store.insert(indexed)
    }
    try store.saveChanges()
    var servedCount = 0
    for round in 0..<(LongTests.areEnabled ? 84 : 28) {
      try store.close()
      let similar = Similar(kind: round / 4 % 7, variant: generator.number(3))
      let condition = similar.condition(of: IndexedSample.self)
      IndexedSample.declared.withLock {
        $0 = [
          Index(
            parts: [.ascending(\IndexedSample.seat)], isUnique: false, nilIsDistinct: true, name: "similar", version: 1,
            condition: condition.node)
        ]
      }
      store = try open()
      if generator.chance(2) { try store.buildIndexes() }
      for seat in [generator.number(50), generator.number(50)] {
        let query = Query(condition).where { $0.seat == seat }
        if case .index = try store.explain(query).access { servedCount += 1 }
        let plain = Query(similar.condition(of: PlainSample.self)).where { $0.seat == seat }
        #expect(
          try store.fetch(query).map(\.number) == store.fetch(plain).map(\.number),
          "seed \(seed), \(similar), seat \(seat)")
        #expect(try store.count(query) == store.count(plain), "seed \(seed), \(similar), seat \(seat)")
      }
    }
    #expect(servedCount > 5, "seed \(seed)")
    #expect(try store.verify().isSound)
    try store.close()
  }
}
