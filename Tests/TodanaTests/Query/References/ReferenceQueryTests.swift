import Foundation
import TestSupport
import Testing
import Todana

/// Queries that read properties of other objects: their results do not depend on the loaded objects.
@Suite struct ReferenceQueryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open() throws -> Store {
    try Store(.directory(directory.path("store")), classes: [Take.self, Recording.self, Label.self, Medium.self])
  }

  /// Saves three takes of recordings "C", "A", "B" with prices 1, 2, 3 and labels "x", "z", "y", then one without any.
  private func fill() throws {
    let store = try open()
    for (number, name) in ["C", "A", "B"].enumerated() {
      let (take, record, label) = (Take(), Recording(), Label())
      label.name = ["x", "z", "y"][number]
      (record.name, record.price, record.label) = (name, number + 1, label)
      (take.name, take.record, take.mainLabel) = ("take \(name)", record, label)
      take.credit = Credit(text: "by", label: label)
      for object in [label, record, take] { try store.insert(object) }
    }
    let last = Take()
    last.name = "last"
    try store.insert(last)
    try store.saveChanges()
    try store.close()
  }

  /// Checks results in a store where no objects are loaded, where all are, and where some are.
  private func check(_ body: (Store) throws -> Void) throws {
    for loaded in 0..<3 {
      let store = try open()
      let labels = loaded > 0 ? try store.fetch(Label.self) : []
      let records = loaded == 1 ? try store.fetch(Recording.self) : []
      try body(store)
      withExtendedLifetime((labels, records)) {}
      try store.close()
    }
  }

  @Test func `sorts, values, groups and sums load the objects on their key paths`() throws {
    try fill()
    try check { (store: Store) throws in
      let names = try store.fetch(Take.all.sorted(by: \.record?.name)).map(\.name)
      #expect(names == ["last", "take A", "take B", "take C"])
      let descending = Take.all.sorted(by: \.record?.label?.name, .descending)
      #expect(try store.values(descending, of: \.name) == ["take A", "take B", "take C", "last"])
      #expect(try store.ids(descending.limit(2)).count == 2)
      #expect(try store.fetch(descending.limit(2)).map(\.name) == ["take A", "take B"])
      #expect(try store.fetch(Take.all.sorted(byFolded: \.record?.name).limit(2)).map(\.name) == ["last", "take A"])
      #expect(try store.values(Take.all, of: \.record?.name) == ["C", "A", "B", nil])
      #expect(try store.values(Take.all, of: \.credit.label?.name) == ["x", "z", "y", nil])
      #expect(try store.values(Take.all, of: \.record?.label).map { $0?.id != nil } == [true, true, true, false])
      #expect(try store.distinctValues(Take.all, of: \.record?.label?.name) == [nil, "x", "y", "z"])
      #expect(try store.groups(Take.all, by: \.record?.name).map(\.key) == [nil, "A", "B", "C"])
      #expect(try store.groups(Take.all, by: \.name, of: \.record?.price).map(\.summary.sum) == [0, 2, 3, 1])
      #expect(try store.sum(Take.all, of: \.record?.price) == 6)
      #expect(try store.average(Take.all, of: \.record?.price) == 2)
      #expect(try store.minimum(Take.all, of: \.record?.label?.name) == "x")
      #expect(try store.maximum(Take.all, of: \.record?.price) == 3)
      let pages = Take.all.sorted(by: \.record?.name).limit(2)
      let first = try store.fetch(pages)
      let last = try #require(first.last)
      #expect(try store.fetch(pages.after(last)).map(\.name) == ["take B", "take C"])
    }
  }

  @Test func `closures can read references that are listed for loading`() throws {
    try fill()
    try check { (store: Store) throws in
      let pending = Take()
      pending.name = "pending"
      pending.record = try store.fetch(Recording.where { $0.name == "A" }).first
      try store.insert(pending)
      let names = try store.values(Take.all, loading: \.record, \.credit.label) { take in
        [take.record?.name, take.record?.label?.name, take.credit.label?.name]
      }
      #expect(names.map { $0[0] } == ["C", "A", "B", nil, "A"])
      #expect(names.map { $0[2] } == ["x", "z", "y", nil, nil])
      let deep = try store.values(Take.all.sorted(by: \.name), loading: \.record?.label) { $0.record?.label?.name }
      #expect(deep == [nil, "z", "z", "y", "x"])
      let error = #expect(throws: StoreError.self) { try store.values(Take.all, loading: \.name) { $0.name } }
      #expect(error?.code == .invalidQuery)
      store.discardChanges()
    }
  }

  @Test func `conditions and texts load the objects on their key paths`() throws {
    try fill()
    try check { (store: Store) throws in
      #expect(try store.fetch(Take.where { $0.record.name == "A" }).map(\.name) == ["take A"])
      #expect(try store.count(Take.where { $0.record.label.name > "x" }) == 2)
      #expect(try store.fetch(Take.where("record.name = ?", "A")).map(\.name) == ["take A"])
      #expect(try store.count(Take.where { $0.extras.count == 0 && $0.extras.isEmpty }) == 4)
      #expect(try store.fetch(Take.where("label.name = ?", "y")).map(\.name) == ["take B"])
      #expect(try store.fetch(Take.where(#Predicate { $0.record?.name == "A" })).map(\.name) == ["take A"])
      let sorted = try Take.where("name BEGINSWITH ?", "take").sorted(byText: "record.name DESC")
      #expect(try store.fetch(sorted).map(\.name) == ["take C", "take B", "take A"])
    }
  }

  @Test func `computed properties are refused if the references they read are not listed`() throws {
    try fill()
    try check { (store: Store) throws in
      let sorted = Take.all.sorted(by: \.recordName, loading: \.record)
      #expect(try store.fetch(sorted).map(\.name) == ["take A", "take B", "take C", "last"])
      let labels = Take.all.sorted(by: \.labelName, .descending, loading: \.record?.label)
      #expect(try store.fetch(labels).map(\.name) == ["take A", "take B", "take C", "last"])
      #expect(try store.values(Take.all, of: \.labelName, loading: \.record?.label) == ["x", "z", "y", nil])
      #expect(try store.values(Take.all, of: \.shortName, loading: \.self) == ["t", "t", "t", "l"])
      #expect(try store.values(Take.all, of: \.credit.labelName, loading: \.credit.label) == ["x", "z", "y", nil])
      #expect(try store.groups(Take.all, by: \.recordName, loading: \.record).map(\.key) == ["A", "B", "C", "none"])
      #expect(try store.maximum(Take.all, of: \.recordName, loading: \.record) == "none")
      #expect(try store.count(Take.where { $0[\.recordName, loading: \.record] == "A" }) == 1)
      #expect(try store.fetch(Take.where("recordName = ?", "B")).map(\.name) == ["take B"])
    }
    let store = try open()
    func refuses(_ call: () throws -> Any?) {
      let error = #expect(throws: StoreError.self) { _ = try call() }
      #expect(
        error?.code == .invalidQuery && error?.message.contains("`loading:") == true, "\(String(describing: error))")
    }
    refuses { try store.fetch(Take.all.sorted(by: \.recordName)) }
    refuses { try store.count(Take.where { $0.recordName == "A" }) }
    refuses { try store.fetch(Take.where("undeclared = ?", "A")) }
    refuses { try store.fetch(Take.where(#Predicate { $0.recordName == "A" })) }
    refuses { try store.values(Take.all, of: \.recordName) }
    refuses { try store.values(Take.all, of: \.extras.first?.name) }
    refuses { try store.groups(Take.all, by: \.shortName) }
    refuses { try store.sum(Take.all, of: \.recordName.count) }
    refuses { try store.minimum(Take.all, of: \.shortName) }
    refuses { try store.explain(Take.all.sorted(by: \.credit.labelName)) }
    refuses { try store.fetch(Take.all.sorted(by: \.shortName, loading: \.name)) }
    try store.close()
  }

  @Test func `a reference to an object that does not exist counts as nil`() throws {
    try fill()
    let store = try open()
    for record in try store.fetch(Recording.self) where record.name != "B" { try store.delete(record) }
    try store.saveChanges()
    #expect(try store.fetch(Take.all.sorted(by: \.record?.name)).map(\.name) == ["take C", "take A", "last", "take B"])
    #expect(try store.values(Take.all, of: \.record?.name) == [nil, nil, "B", nil])
    #expect(try store.groups(Take.all, by: \.record?.name).map(\.count) == [3, 1])
    #expect(try store.sum(Take.all, of: \.record?.price) == 3)
    #expect(try store.count(Take.where { $0.record.name == "C" }) == 0)
    #expect(try store.count(Take.where { $0.record.name != "C" }) == 4)
    #expect(try store.count(Take.where { !($0.record.name == "C") }) == 4)
    #expect(try store.count(Take.where { $0.record.name == nil }) == 3)
    #expect(try store.count(Take.where(#Predicate { $0.record?.name == nil })) == 3)
    try store.close()
    // Each missing object is reported once in a call, whichever objects are loaded.
    try check { (store: Store) throws in
      func check<Value: Equatable>(
        _ value: Value, reports: [RowID], _ call: (DamagePolicy) throws -> Value
      ) throws {
        var rows: [RowID] = []
        let policy = DamagePolicy.report {
          #expect($0.code == .rowNotFound && $0.className == "Recording")
          rows.append($0.rowID ?? 0)
        }
        try #expect(call(policy) == value)
        #expect(rows == reports)
      }
      let query = Take.all.sorted(by: \.record?.name)
      try check(4, reports: [1, 2]) { try store.fetch(query, onDamage: $0).count }
      try check(3, reports: [1, 2]) { try store.sum(Take.all, of: \.record?.price, onDamage: $0) }
      try check(1, reports: [1, 2]) { try store.count(Take.where { $0.record.name == "B" }, onDamage: $0) }
      try check(4, reports: []) { try store.count(Take.where { $0.number == 0 }, onDamage: $0) }
    }
  }

  /// Tests pending and saved deletions of held objects, with and without another pending change.
  @Test(arguments: [false, true], [false, true])
  func `a deleted object counts as nil, even if it is still in memory`(_ isSaved: Bool, _ isTouched: Bool) throws {
    try fill()
    let store = try open()
    let takes = try store.fetch(Take.self)
    let (records, labels) = (try store.fetch(Recording.self), try store.fetch(Label.self))
    let (take, record) = (takes[0], records[0])
    #expect(take.record === record && record.label === labels[0])
    try store.delete(labels[0])
    if isSaved { try store.saveChanges() }
    // The take itself is pending, too.
    if isTouched { try store.update(take) { $0.name = "take C" } }
    func check() throws {
      #expect(try store.values(Take.all, of: \.record?.label?.name) == [nil, "z", "y", nil])
      #expect(try store.values(Take.all, of: \.credit.label?.name) == [nil, "z", "y", nil])
      #expect(try store.count(Take.where { $0.record.label.name == "x" }) == 0)
      #expect(try store.count(Take.where { $0.mainLabel.name == "x" }) == 0)
      #expect(try store.count(Take.where { $0.record.label.name == nil }) == 2)
      #expect(try store.fetch(Take.all.sorted(by: \.record?.label?.name)).map(\.name).prefix(2) == ["take C", "last"])
      #expect(try store.groups(Take.all, by: \.mainLabel?.name).map(\.count) == [2, 1, 1])
    }
    try check()
    // The reference itself is not nil.
    #expect(try store.count(Take.where { $0.mainLabel == nil }) == 1)
    try store.delete(record)
    // If a pending object refers to the record, no save would succeed.
    if isSaved, !isTouched { try store.saveChanges() }
    #expect(try store.values(Take.all, of: \.record?.name) == [nil, "A", "B", nil])
    #expect(try store.sum(Take.all, of: \.record?.price) == 5)
    try check()
    // A record that is inserted again is found, unless its deletion was saved.
    try store.insert(record)
    #expect(try store.values(Take.all, of: \.record?.name).contains("C") == (!isSaved || isTouched))
    withExtendedLifetime((takes, records, labels)) {}
    try store.close(discarding: true)
  }

  @Test func `a property of a missing object differs from every other property`() throws {
    try fill()
    let store = try open()
    let take = try #require(try store.first(Take.where { $0.name == "take C" }))
    let label = try #require(take.mainLabel)
    try store.delete(label)
    try store.saveChanges()
    // The result is all takes but the last one, which has neither label nor record.
    let differ = try store.ids(Take.where { $0.mainLabel.name != $0.record.name })
    #expect(try differ.contains(#require(take.id)) && differ.count == 3)
    #expect(try store.ids(Take.where { !($0.mainLabel.name == $0.record.name) }) == differ)
    try store.close()
  }

  @Test func `an error names the object that refers to a missing object`() throws {
    try fill()
    let store = try open()
    let records = try store.fetch(Recording.self)
    try store.delete(records[1])
    try store.saveChanges()
    let error = #expect(throws: StoreError.self) { try store.values(Take.all, of: \.recordName, loading: \.record) }
    #expect(error?.code == .rowNotFound && error?.className == "Take" && error?.message.contains("row 2") == true)
    var reports: [StoreError] = []
    let policy = DamagePolicy.report { reports.append($0) }
    let names = try store.values(Take.all, of: \.recordName, loading: \.record, onDamage: policy)
    #expect(names == ["C", "B", "none"])
    #expect(reports.map(\.className) == ["Recording", "Take"])
    // No report has the id of an existing object, which a program might delete as damaged.
    #expect(reports[0].rowID == 2 && reports[1].rowID == nil)
    try store.close()
  }

  @Test func `an unreadable object is reported, and objects that need it are left out`() throws {
    try fill()
    do {
      /// A class that writes content which a recording cannot read.
      final class Other: StoredObject {
        override class var storedName: String { "Recording" }
        override class var version: UInt8 { 9 }
        override func writeContent(to buffer: inout DataBuffer) { buffer.writeString("new") }
      }
      let store = try Store(.directory(directory.path("store")), classes: [Other.self, Take.self])
      let other = Other()
      try store.insert(other)
      try store.saveChanges()
      try store.close()
    }
    let store = try open()
    let id = try #require(try store.ids(Recording.all).last)
    let take = try #require(try store.fetch(Take.where { $0.name == "last" }).first)
    let recording = try store.fault(id)
    try store.update(take) { $0.record = recording }
    try store.saveChanges()
    var codes: [StoreError.Code] = []
    let policy = DamagePolicy.report { codes.append($0.code) }
    #expect(
      try store.fetch(Take.all.sorted(by: \.record?.name), onDamage: policy).map(\.name) == [
        "take A", "take B", "take C",
      ])
    #expect(codes == [.newerVersion])
    #expect(try store.values(Take.all, of: \.record?.name, onDamage: policy) == ["C", "A", "B"])
    #expect(try store.count(Take.where { $0.record.name != "A" }, onDamage: policy) == 2)
    #expect(codes == [.newerVersion, .newerVersion, .newerVersion])
    #expect(throws: StoreError.self) { try store.fetch(Take.all.sorted(by: \.record?.name)) }
    #expect(throws: StoreError.self) { try store.sum(Take.all, of: \.record?.price) }
    try store.close()
  }

  @Test func `indexes accept only stored properties of the object itself`() throws {
    final class Indexed: StoredObject {
      nonisolated(unsafe) static var indexList: [Index] = []
      var record: Recording?
      var name = ""
      var computed: String { name }
      override class var indexes: [Index] { unsafe indexList }
    }
    let refused: [Index] = [
      Index(\Indexed.record?.name, name: "record"), Index(\Indexed.computed, name: "computed"),
      Index(.folded(\Indexed.record?.name), name: "folded"),
      Index(\Indexed.name, name: "partial", where: { $0.record.name == "x" }),
      Index(\Indexed.name, name: "partial", where: { $0.computed == "x" }),
    ]
    for index in refused {
      unsafe Indexed.indexList = [index]
      let error = #expect(throws: StoreError.self) { try Store(.inMemory, classes: [Indexed.self, Recording.self]) }
      #expect(error?.code == .invalidIndex, "\(String(describing: error))")
    }
    unsafe Indexed.indexList = [Index(\Indexed.name), Index(\Indexed.record)]
    try Store(.inMemory, classes: [Indexed.self, Recording.self]).close()
  }

  @Test func `live results follow changes of other objects`() async throws {
    try fill()
    let store = try open()
    var results = store.observe(Take.where { $0.name != "last" }.sorted(by: \.record?.name)).makeAsyncIterator()
    #expect(try await results.next()?.objects().map(\.name) == ["take A", "take B", "take C"])
    let record = try #require(try store.fetch(Recording.where { $0.name == "C" }).first)
    try store.update(record) { $0.name = "AA" }
    try store.saveChanges()
    #expect(try await results.next()?.objects().map(\.name) == ["take A", "take C", "take B"])
    try store.close()
  }

  @Test func `queries sort by properties of classes with subclasses`() throws {
    let store = try open()
    for (number, name) in ["b", "c", "a"].enumerated() {
      let medium = Medium()
      (medium.name, medium.length, medium.watched) = (name, -number, number % 2)
      medium.form = number == 1 ? .tape : .disc
      try store.insert(medium)
    }
    try store.saveChanges()
    #expect(try store.values(Medium.all.sorted(by: \.name), of: \.length) == [-2, 0, -1])
    #expect(try store.values(Medium.all.sorted(by: \.length), of: \.name) == ["a", "c", "b"])
    #expect(try store.values(Medium.all.sorted(by: \.form, .descending), of: \.name) == ["c", "b", "a"])
    #expect(try store.count(Medium.where { $0.watched == 1 }) == 1)
    #expect(try store.fetch(Medium.all.sorted(by: \.nameAndForm, loading: \.self)).map(\.name) == ["a", "b", "c"])
    try store.close()
  }
}
