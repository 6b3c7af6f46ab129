import TestSupport
import Testing
import Todana

/// Random graphs and random queries through references, compared with plain evaluation, for any set of loaded objects.
@Suite struct ReferenceDifferentialTests {
  /// The content of the store as plain values.
  private struct Model {
    struct Record {
      var name: String
      var price: Int
      var label: Int?
    }
    struct Row {
      var name: String
      var number: Int
      var record: Int?
      var label: Int?
    }
    /// The names of labels; nil if the label was deleted.
    var labels: [String?] = []
    var records: [Record?] = []
    var rows: [Row?] = []

    func record(of row: Row) -> Record? { row.record.flatMap { records[$0] } }
    func labelName(of row: Row) -> String? { record(of: row)?.label.flatMap { labels[$0] } }
    func creditName(of row: Row) -> String? { row.label.flatMap { labels[$0] } }
  }

  /// A query with its condition and its sort keys for plain values.
  private struct Case {
    var query = Take.all
    var condition: (Model.Row) -> Bool = { _ in true }
    var keys: [(Model.Row) -> [UInt8]] = []
  }

  private static let names = ["", "a", "b", "bb", "é", String(repeating: "long", count: 40), "\u{0}", "zz"]

  @Test(arguments: RandomSeeds.seeds([7, 8], new: 1, long: 60), [false, true])
  func `answers do not depend on the loaded objects`(seed: UInt64, isEncrypted: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    var configuration = StoreConfiguration()
    if isEncrypted { configuration.encryption = .key([UInt8](repeating: 1, count: 16)) }
    let directory = try TemporaryDirectory(isInMemory: true)
    let location = StoreLocation.directory(directory.path("store"))
    var model = Model()
    let classes = [Take.self, Recording.self, Label.self]
    do {
      let store = try Store(location, classes: classes, configuration: configuration)
      try fill(store, &model, &generator)
      try store.close()
    }
    for _ in 0..<3 {
      let store = try Store(location, classes: classes, configuration: configuration)
      var held: [StoredObject] = []
      for round in 0..<12 {
        if round % 3 == 0 { held += try loadSome(of: store, &generator) }
        if round % 4 == 3 { try change(store, &model, &generator) }
        if round == 8 { try store.saveChanges() }
        if round == 8 { for object in held where object.id != nil { try store.turnIntoFault(object) } }
        let test = randomCase(model, &generator)
        try compare(test, store, model, "seed \(seed), round \(round)")
      }
      try store.saveChanges()
      try store.close()
      withExtendedLifetime(held) {}
    }
  }

  private func fill(_ store: Store, _ model: inout Model, _ generator: inout SeededGenerator) throws {
    var (labels, records): ([Label], [Recording]) = ([], [])
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let label = Label()
      label.name = Self.names.randomElement(using: &generator) ?? ""
      labels.append(label)
      model.labels.append(label.name)
      try store.insert(label)
    }
    for _ in 0..<Int.random(in: 1...20, using: &generator) {
      let record = Recording()
      let label = Bool.random(using: &generator) ? Int.random(in: labels.indices, using: &generator) : nil
      record.name = Self.names.randomElement(using: &generator) ?? ""
      record.price = Int.random(in: -3...300, using: &generator)
      record.label = label.map { labels[$0] }
      records.append(record)
      model.records.append(.init(name: record.name, price: record.price, label: label))
      try store.insert(record)
    }
    for number in 0..<Int.random(in: 1...300, using: &generator) {
      let take = Take()
      let record =
        Int.random(in: 0...9, using: &generator) > 1 ? Int.random(in: records.indices, using: &generator) : nil
      let label = Bool.random(using: &generator) ? Int.random(in: labels.indices, using: &generator) : nil
      (take.name, take.number) = (Self.names.randomElement(using: &generator) ?? "", number % 7)
      (take.record, take.credit.label) = (record.map { records[$0] }, label.map { labels[$0] })
      model.rows.append(.init(name: take.name, number: take.number, record: record, label: label))
      try store.insert(take)
    }
    try store.saveChanges()
  }

  private func loadSome(of store: Store, _ generator: inout SeededGenerator) throws -> [StoredObject] {
    switch Int.random(in: 0...3, using: &generator) {
    case 0: return try store.fetch(Recording.self)
    case 1: return try store.fetch(Label.self)
    case 2: return try store.fetch(Take.all.limit(40))
    default: return try store.fetch(Recording.where { $0.price > 100 })
    }
  }

  /// Makes a change that stays pending or is saved; may delete objects that others refer to.
  private func change(_ store: Store, _ model: inout Model, _ generator: inout SeededGenerator) throws {
    let index = Int.random(in: model.records.indices, using: &generator)
    if let record = try object(Recording.self, index, store) {
      if Int.random(in: 0...3, using: &generator) == 0 {
        try store.delete(record)
        try store.saveChanges()
        model.records[index] = nil
      } else {
        try store.update(record) { $0.name += "x" }
        model.records[index]?.name += "x"
      }
    }
    let labelIndex = Int.random(in: model.labels.indices, using: &generator)
    if let label = try object(Label.self, labelIndex, store) {
      try store.update(label) { $0.name += "y" }
      model.labels[labelIndex] = (model.labels[labelIndex] ?? "") + "y"
    }
    if Bool.random(using: &generator) { try store.saveChanges() }
  }

  /// Returns an object by its index; rows count from 1 in the order of inserts.
  private func object<T: StoredObject>(_ type: T.Type, _ index: Int, _ store: Store) throws -> T? {
    let id = try store.ids(T.all, includingPending: false).first { $0.rowID == RowID(index + 1) }
    return try id.flatMap { try store.fetch($0) }
  }

  private func randomCase(_ model: Model, _ generator: inout SeededGenerator) -> Case {
    var test = Case()
    let name = Self.names.randomElement(using: &generator) ?? ""
    let price = Int.random(in: -3...300, using: &generator)
    switch Int.random(in: 0...6, using: &generator) {
    case 0:
      test.query = Take.where { $0.record.name == name }
      test.condition = { model.record(of: $0)?.name == name }
    case 1:
      test.query = Take.where { $0.record.name != name && $0.number < 5 }
      test.condition = { model.record(of: $0)?.name != name && $0.number < 5 }
    case 2:
      test.query = Take.where { $0.record.price > price || $0.record.label.name == name }
      test.condition = { row in
        (model.record(of: row)?.price).map { $0 > price } == true || model.labelName(of: row) == name
      }
    case 3:
      test.query = Take.where { !($0.record.label.name == nil) }
      test.condition = { model.labelName(of: $0) != nil }
    case 4:
      test.query = Take.where { $0[\.recordName, loading: \.record] == name }
      test.condition = { row in
        // If there is no record, the property chooses its value; if the record was deleted, the value counts as nil.
        row.record == nil ? name == "none" : model.record(of: row)?.name == name
      }
    default: break
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let isDescending = Bool.random(using: &generator)
      let order: SortOrder = isDescending ? .descending : .ascending
      func key<Value: OrderedValue>(_ value: @escaping (Model.Row) -> Value) {
        test.keys.append { row in keyBytes(value(row)).map { isDescending ? ~$0 : $0 } }
      }
      switch Int.random(in: 0...4, using: &generator) {
      case 0:
        test.query = test.query.sorted(by: \.record?.name, order)
        key { model.record(of: $0)?.name }
      case 1:
        test.query = test.query.sorted(by: \.record?.label?.name, order)
        key { model.labelName(of: $0) }
      case 2:
        test.query = test.query.sorted(by: \.credit.label?.name, order)
        key { model.creditName(of: $0) }
      case 3:
        test.query = test.query.sorted(by: \.record?.price, order)
        key { model.record(of: $0)?.price }
      default:
        test.query = test.query.sorted(by: \.number, order)
        key { $0.number }
      }
    }
    return test
  }

  private func compare(_ test: Case, _ store: Store, _ model: Model, _ place: String) throws {
    var expected = model.rows.indices.filter { model.rows[$0].map(test.condition) == true }
    let keys = Dictionary(
      uniqueKeysWithValues: expected.map { index in (index, test.keys.map { key in model.rows[index].map(key) ?? [] }) }
    )
    expected.sort { left, right in
      for (lhs, rhs) in zip(keys[left] ?? [], keys[right] ?? []) where lhs != rhs {
        return lhs.lexicographicallyPrecedes(rhs)
      }
      return left < right
    }
    let rows = expected.compactMap { model.rows[$0] }
    let ids = expected.map { RowID($0 + 1) }
    try #expect(store.ids(test.query).map(\.rowID) == ids, "\(place)")
    try #expect(store.count(test.query) == ids.count, "\(place)")
    try #expect(store.fetch(test.query.limit(7).offset(2)).map { $0.id?.rowID } == Array(ids.dropFirst(2).prefix(7)))
    try #expect(store.values(test.query, of: \.record?.name) == rows.map { model.record(of: $0)?.name }, "\(place)")
    try #expect(store.values(test.query, of: \.record?.label?.name) == rows.map { model.labelName(of: $0) }, "\(place)")
    try #expect(
      store.sum(test.query, of: \.record?.price) == rows.compactMap { model.record(of: $0)?.price }.reduce(0, +))
    let groups = try store.groups(test.query, by: \.record?.label?.name)
    let counts = Dictionary(grouping: rows) { model.labelName(of: $0) }.mapValues(\.count)
    #expect(Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.count) }) == counts, "\(place)")
    try #expect(
      (store.maximum(test.query, of: \.record?.price) ?? nil) == rows.compactMap { model.record(of: $0)?.price }.max())
    try #expect(store.exists(test.query) == !ids.isEmpty)
    if ids.count > 3 {
      let first = try store.fetch(test.query.limit(3))
      let last = try #require(first.last)
      try #expect(store.ids(test.query.after(last)).map(\.rowID) == Array(ids.dropFirst(3)), "\(place)")
    }
  }
}

/// Returns the bytes by which an index would order a value.
private func keyBytes<Value: OrderedValue>(_ value: Value) -> [UInt8] {
  var bytes: [UInt8] = []
  switch value as Any {
  case let value as Int: bytes = (0..<8).map { UInt8(truncatingIfNeeded: (value ^ .min) >> (56 - 8 * $0)) }
  case let value as String: bytes = value.utf8.flatMap { $0 == 0 ? [0, 1] : [$0] } + [0, 0]
  case Optional<Any>.none: return [0]
  default: break
  }
  return value is any ExpressibleByNilLiteral ? [1] + bytes : bytes
}
