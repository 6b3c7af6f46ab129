import TestSupport
import Testing
import Todana

/// Random graphs with unreadable records and dangling references.
///
/// Queries through references return the rest, and report each such record once.
@Suite struct UnreadableReferenceTests {
  /// The content of the store by row; rows count from 1.
  private struct Model {
    struct Record {
      var name: String
      var price: Int
      var label: Int?
    }
    var labels: [Int: String] = [:]
    var records: [Int: Record] = [:]
    /// The row of each take's record.
    var takes: [Int: Int?] = [:]
    var unreadable: [String: Set<Int>] = ["Take": [], "Recording": [], "Label": []]
    /// The rows of records and labels that were deleted.
    var deleted: [String: Set<Int>] = ["Recording": [], "Label": []]
  }

  /// The end of a walk along references from a take.
  private enum Walk<Value: Equatable>: Equatable {
    /// The value; nil if a reference is nil or dangling.
    case value(Value?)
    case unreadable
  }

  /// A class that writes content which the other classes cannot read.
  private class Garbage: StoredObject {
    override func readContent(from buffer: inout DataBuffer) throws {
      while !buffer.isAtEnd { _ = try buffer.readUInt8() }
    }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt8(0xFF) }
  }
  private final class GarbageTake: Garbage { override class var storedName: String { "Take" } }
  private final class GarbageRecording: Garbage { override class var storedName: String { "Recording" } }
  private final class GarbageLabel: Garbage { override class var storedName: String { "Label" } }

  private static let names = ["", "a", "b", "é", String(repeating: "long", count: 40), "\u{0}"]

  @Test(arguments: RandomSeeds.seeds([3, 4], new: 1, long: 60), [false, true])
  func `unreadable objects are left out and reported once`(seed: UInt64, isEncrypted: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    var configuration = StoreConfiguration()
    if isEncrypted { configuration.encryption = .key([UInt8](repeating: 1, count: 16)) }
    let directory = try TemporaryDirectory(isInMemory: true)
    let location = StoreLocation.directory(directory.path("store"))
    let model = try fill(location, configuration, &generator)
    let store = try Store(location, classes: [Take.self, Recording.self, Label.self], configuration: configuration)
    // Some of the objects are loaded.
    let held =
      try store.fetch(Recording.all.limit(generator.number(6)), onDamage: .report { _ in })
      + store.fetch(Take.all.limit(generator.number(6)), onDamage: .report { _ in })
    try check(store, model, "seed \(seed)")
    withExtendedLifetime(held) {}
    try store.close()
  }

  private func fill(
    _ location: StoreLocation, _ configuration: StoreConfiguration, _ generator: inout SeededGenerator
  ) throws -> Model {
    var model = Model()
    let store = try Store(location, classes: [Take.self, Recording.self, Label.self], configuration: configuration)
    var (labels, records): ([Label], [Recording]) = ([], [])
    for row in 1...2 + generator.number(6) {
      let label = Label()
      label.name = generator.element(of: Self.names)
      model.labels[row] = label.name
      labels.append(label)
      try store.insert(label)
    }
    for row in 1...2 + generator.number(20) {
      let record = Recording()
      let label = generator.chance(3) ? nil : 1 + generator.number(labels.count)
      (record.name, record.price) = (generator.element(of: Self.names), generator.number(100))
      record.label = label.map { labels[$0 - 1] }
      model.records[row] = .init(name: record.name, price: record.price, label: label)
      records.append(record)
      try store.insert(record)
    }
    for row in 1...20 + generator.number(200) {
      let take = Take()
      let record = generator.chance(6) ? nil : 1 + generator.number(records.count)
      take.record = record.map { records[$0 - 1] }
      model.takes[row] = record
      try store.insert(take)
    }
    try store.saveChanges()
    for (row, record) in records.enumerated() where generator.chance(6) {
      try store.delete(record)
      model.deleted["Recording"]?.insert(row + 1)
    }
    for (row, label) in labels.enumerated() where generator.chance(6) {
      try store.delete(label)
      model.deleted["Label"]?.insert(row + 1)
    }
    try store.saveChanges()
    try store.close()
    let other = try Store(
      location, classes: [GarbageTake.self, GarbageRecording.self, GarbageLabel.self], configuration: configuration)
    func spoil<Kind: Garbage>(_ type: Kind.Type) throws {
      for object in try other.fetch(type) where generator.chance(7) {
        try other.update(object) { _ in }
        model.unreadable[type.storedName]?.insert(Int(try #require(object.anyID).rowID))
      }
    }
    try spoil(GarbageTake.self)
    try spoil(GarbageRecording.self)
    try spoil(GarbageLabel.self)
    try other.saveChanges()
    try other.close()
    return model
  }

  private func check(_ store: Store, _ model: Model, _ place: String) throws {
    var met: Set<String> = []
    /// Follows a reference, and notes the record if it should be reported.
    func follow<Target, Value>(
      _ row: Int?, of name: String, in targets: [Int: Target], _ next: (Target) -> Walk<Value>
    ) -> Walk<Value> {
      guard let row else { return .value(nil) }
      let isDeleted = model.deleted[name]?.contains(row) == true
      guard !isDeleted, model.unreadable[name]?.contains(row) != true, let target = targets[row] else {
        met.insert("\(name) \(row)")
        return isDeleted ? .value(nil) : .unreadable
      }
      return next(target)
    }
    func walk<Value>(_ take: Int?, _ value: (Model.Record) -> Walk<Value>) -> Walk<Value> {
      follow(take, of: "Recording", in: model.records, value)
    }
    func labelName(_ take: Int?) -> Walk<String> {
      walk(take) { follow($0.label, of: "Label", in: model.labels) { .value($0) } }
    }
    let takes = model.takes.filter { model.unreadable["Take"]?.contains($0.key) == false }.sorted { $0.key < $1.key }
    let always = (model.unreadable["Take"] ?? []).map { "Take \($0)" }

    /// Compares the result and the reports of a call with the model.
    func compare<Value, Answer: Equatable>(
      _ name: String, _ read: (Int?) -> Walk<Value>, _ expected: ([(row: Int, value: Value?)]) -> Answer,
      _ call: (DamagePolicy) throws -> Answer
    ) throws {
      met = Set(always)
      var readable: [(row: Int, value: Value?)] = []
      for (row, record) in takes {
        if case .value(let value) = read(record) { readable.append((row, value)) }
      }
      let wanted = met
      var reports: [String] = []
      let answer = try call(.report { reports.append("\($0.className ?? "?") \($0.rowID ?? 0)") })
      #expect(answer == expected(readable), "\(name), \(place)")
      #expect(reports.sorted() == wanted.sorted(), "\(name), \(place)")
      let isFine = wanted.allSatisfy { report in
        model.deleted.contains { name, rows in rows.contains { report == "\(name) \($0)" } }
      }
      if isFine {
        #expect(try call(.fail) == answer, "\(name), \(place)")
      } else {
        #expect(throws: StoreError.self, "\(name), \(place)") { try call(.fail) }
      }
    }

    let name: (Int?) -> Walk<String> = { take in walk(take) { .value($0.name) } }
    let price: (Int?) -> Walk<Int> = { take in walk(take) { .value($0.price) } }
    func byText(_ rows: [(row: Int, value: String?)]) -> [RowID] {
      rows.sorted { left, right in
        let (lhs, rhs) = (left.value.map { Array($0.utf8) }, right.value.map { Array($0.utf8) })
        if lhs == rhs { return left.row < right.row }
        guard let lhs else { return true }
        guard let rhs else { return false }
        return lhs.lexicographicallyPrecedes(rhs)
      }.map { RowID($0.row) }
    }
    try compare("sort", name, byText) { try store.ids(Take.all.sorted(by: \.record?.name), onDamage: $0).map(\.rowID) }
    try compare("fetch", labelName, byText) { policy in
      try store.fetch(Take.all.sorted(by: \.record?.label?.name), onDamage: policy).compactMap { $0.id?.rowID }
    }
    try compare("values", name, { $0.map(\.value) }) { try store.values(Take.all, of: \.record?.name, onDamage: $0) }
    try compare("sum", price, { $0.compactMap(\.value).reduce(0, +) }) { policy in
      try store.sum(Take.all, of: \.record?.price, onDamage: policy)
    }
    try compare("maximum", price, { $0.compactMap(\.value).max() }) { policy in
      try store.maximum(Take.all, of: \.record?.price, onDamage: policy) ?? nil
    }
    try compare("groups", labelName, { Dictionary(grouping: $0, by: \.value).mapValues(\.count) }) { policy in
      let groups = try store.groups(Take.all, by: \.record?.label?.name, onDamage: policy)
      return Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.count) })
    }
    for wanted in Self.names {
      try compare("count", name, { $0.count { $0.value == wanted } }) { policy in
        try store.count(Take.where { $0.record.name == wanted }, onDamage: policy)
      }
      try compare("ids", labelName, { $0.filter { $0.value != wanted }.map { RowID($0.row) } }) { policy in
        try store.ids(Take.where { $0.record.label.name != wanted }, onDamage: policy).map(\.rowID)
      }
    }
  }
}
