import Foundation
import LegacyStores
import TestSupport
import Testing
import TodanaDocuments

@Suite struct NanoStoreReaderTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("nano.sqlite")
  }

  private func code(_ path: String) -> LegacyError.Code? {
    do {
      _ = try NanoStoreReader(path: path)
      return nil
    } catch {
      return (error as? LegacyError)?.code
    }
  }

  private func items() throws -> (items: [NanoStoreItem], failures: [ObjectFailure]) {
    let reader = try NanoStoreReader(path: path, timeZone: .gmt)
    var items: [NanoStoreItem] = []
    var failures: [ObjectFailure] = []
    try reader.forEachItem { item in
      switch item {
      case .success(let item): items.append(item)
      case .failure(let failure): failures.append(failure)
      }
    }
    return (items, failures)
  }

  @Test func objectsAndBagsAreRead() throws {
    let sample = try NanoStoreSample(path)
    let key = UUID().uuidString
    try sample.add(key, ["name": "Doe"])
    try sample.add("custom", ["name": "Car"], className: "Car")
    try sample.add(
      "BAG",
      [
        "NSF_Private_NSFNanoBag_Name": "friends", "NSF_Private_NSFNanoBag_NSFKey": "BAG",
        "NSF_Private_NSFNanoBag_NSFObjectKeys": [key],
      ], className: "NSFNanoBag")
    let (items, failures) = try items()
    #expect(failures.isEmpty)
    try #require(items.count == 3)
    guard case .object(let plain) = items[0], case .object(let car) = items[1], case .bag(let bag) = items[2] else {
      Issue.record("the items are of other kinds")
      return
    }
    #expect(plain.key == key && plain.className == "NSFNanoObject" && plain.content["name"]?.string == "Doe")
    #expect(plain.savedAt == Date(timeIntervalSince1970: 1_330_837_567.25))
    #expect(car.key == "custom" && car.className == "Car")
    #expect(bag.name == "friends" && bag.memberKeys == [key])
    let counts = try NanoStoreReader(path: path).classCounts()
    #expect(counts.map(\.name) == ["Car", "NSFNanoBag", "NSFNanoObject"] && counts.allSatisfy { $0.count == 1 })
  }

  @Test func theOlderFormatIsRead() throws {
    let sample = try NanoStoreSample(path, isOld: true)
    let value: DocumentValue = ["name": "Doe", "age": 3]
    try sample.add("1", Array(value.propertyList(.xml)))
    try sample.add("2", Array(value.propertyList(.binary)))
    let (items, failures) = try items()
    #expect(failures.isEmpty && items.count == 2)
    for case .object(let object) in items { #expect(object.content == value) }
  }

  @Test func damagedObjectsHideNoOthers() throws {
    let sample = try NanoStoreSample(path)
    try sample.add("good", ["a": 1])
    try sample.add("bad", Array("bplist00nonsense".utf8))
    try sample.add("list", Array(DocumentValue([1, 2]).propertyList(.binary)))
    try sample.add("day", NanoStoreSample.archive(["a": 1]), date: "2012-02-31 00:00:00:000")
    try SQLiteSample.run(
      ["INSERT INTO NSFKeys(NSFKey, NSFKeyedArchive) VALUES (CAST(x'FF' AS TEXT), x'00'), (NULL, NULL)"], on: path)
    let (items, failures) = try items()
    #expect(items.count == 2)
    #expect(failures.map(\.place) == ["object bad", "object list", "row 5 of NSFKeys", "row 6 of NSFKeys"])
    guard case .object(let object) = items[1] else { return }
    #expect(object.key == "day" && object.savedAt == nil)
  }

  @Test func otherFilesAreRefused() throws {
    #expect(code(directory.path("missing")) == .cannotOpen)
    #expect(code(directory.path) == .cannotOpen)
    try Data().write(to: URL(filePath: path))
    #expect(code(path) == .notADatabase)
    try Data("hello, world; this is no database".utf8).write(to: URL(filePath: path))
    #expect(code(path) == .notADatabase)
    let other = directory.path("other")
    try SQLiteSample.run(["CREATE TABLE other(a)"], on: other)
    #expect(code(other) == .wrongSchema)
    // A view could run any query, and is not a table.
    let view = directory.path("view")
    try SQLiteSample.run(["CREATE VIEW NSFKeys AS SELECT 1 AS NSFKey, 2 AS NSFKeyedArchive"], on: view)
    #expect(code(view) == .wrongSchema)
    let columns = directory.path("columns")
    try SQLiteSample.run(["CREATE TABLE NSFKeys(NSFKey TEXT)"], on: columns)
    #expect(code(columns) == .wrongSchema)
  }

  @Test func truncatedAndDamagedFilesGiveErrors() throws {
    let sample = try NanoStoreSample(path)
    for number in 0..<50 { try sample.add("\(number)", ["text": String(repeating: "x", count: 300)]) }
    let bytes = try Data(contentsOf: URL(filePath: path))
    var refusals = 0
    for count in [100, 512, 1000, 4096, bytes.count / 2, bytes.count - 1] {
      try bytes.prefix(count).write(to: URL(filePath: path))
      do {
        _ = try items()
      } catch {
        #expect(error is LegacyError)
        refusals += 1
      }
    }
    #expect(refusals > 0)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var changed = bytes
      for _ in 0..<10 { changed[Int.random(in: 16..<changed.count, using: &random)] = UInt8.random(in: 0...255) }
      try changed.write(to: URL(filePath: path))
      do {
        _ = try items()
      } catch {
        #expect(error is LegacyError)
      }
    }
  }

  @Test func aDatabaseWithALogIsReadFromACopyAndNotChanged() throws {
    let sample = try NanoStoreSample(path)
    try sample.add("1", ["a": 1])
    // A log of another connection that was killed: both files are copied while they are in use.
    let log = directory.path("log.sqlite")
    try SQLiteSample.withOpen(path) { run in
      try run("PRAGMA journal_mode = WAL")
      try run("PRAGMA wal_autocheckpoint = 0")
      try run("UPDATE NSFKeys SET NSFKey = 'changed'")
      try FileManager.default.copyItem(atPath: path, toPath: log)
      try FileManager.default.copyItem(atPath: path + "-wal", toPath: log + "-wal")
    }
    let before = try [log, log + "-wal"].map { try Data(contentsOf: URL(filePath: $0)) }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    let reader = try NanoStoreReader(path: log)
    var keys: [String] = []
    try reader.forEachItem { if case .success(.object(let object)) = $0 { keys.append(object.key) } }
    #expect(keys == ["changed"])
    #expect(try [log, log + "-wal"].map { try Data(contentsOf: URL(filePath: $0)) } == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == names)
  }
}
