// The files of indexes after most of their entries were removed.
import Foundation
import TestSupport
import Testing
import Todana

private final class Visit: StoredObject {
  var number = 0
  var page = ""

  override class var indexes: [Index] { [Index(\Visit.number), Index(\Visit.page)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    page = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeString(page)
  }
}

@Suite struct IndexCompactionTests {
  private let directory: TemporaryDirectory
  private let store: Store

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    store = try Store(.directory(directory.path("store")), classes: [Visit.self])
  }

  private func insert(_ numbers: some Sequence<Int>) throws {
    for number in numbers {
      let visit = Visit()
      (visit.number, visit.page) = (number, "page \(number % 977) of \(number)")
      try store.insert(visit)
    }
    try store.saveChanges()
  }

  /// Returns the bytes of the files of indexes.
  private func indexByteCount() throws -> Int {
    try store.backend.operations?.checkpoint()
    let path = directory.path("store")
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains("index") }.map { name in
      try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
    }.reduce(0, +)
  }

  private func expectAnswers(_ numbers: [Int]) throws {
    #expect(try store.verify().problems.isEmpty)
    #expect(try store.fetch(Visit.all.sorted(by: \.number).limit(.max)).map(\.number) == numbers)
    #expect(try store.fetch(Visit.all.sorted(by: \.page, .descending).limit(3)).count == min(3, numbers.count))
    for number in numbers.prefix(20) { #expect(try store.count(Visit.where { $0.number == number }) == 1) }
  }

  @Test(arguments: [1, 50, 2_000])
  func `the index of a class shrinks by itself after deletes`(deletesInOneSave: Int) async throws {
    let count = deletesInOneSave == 1 ? 20_000 : 40_000
    try insert(0..<count)
    let before = try indexByteCount()
    var deleted: [ObjectID<Visit>] = []
    for (position, id) in try store.ids(Visit.all).enumerated() where position % 50 != 0 {
      deleted.append(id)
      if deleted.count == deletesInOneSave {
        try store.delete(deleted)
        try store.saveChanges(durability: .relaxed)
        deleted = []
      }
    }
    if !deleted.isEmpty { try store.delete(deleted) }
    try store.saveChanges()
    let kept = (0..<count).filter { $0 % 50 == 0 }
    // Maintenance runs in the background, after a save. Files of less than 256 KiB stay as they are.
    let limit = 2 * (288 << 10)
    #expect(before > limit)
    var after = before
    for _ in 0..<200 {
      after = try indexByteCount()
      if after < limit { break }
      try await Task.sleep(for: .milliseconds(50))
      try store.update(store.fetch(Visit.self)[0]) { $0.page += "." }
      try store.saveChanges()
    }
    #expect(after < limit, "\(before) bytes before, \(after) after")
    try expectAnswers(kept)
    try store.close()
  }

  @Test(arguments: [2, 3, 7])
  func `compacting joins leaves`(kept: Int) throws {
    try insert((0..<60_000).map { ($0 * 7_919) % 60_000 })
    for remainder in 1..<kept {
      try store.delete(store.fetch(Visit.self).filter { $0.number % kept == remainder })
      try store.saveChanges()
    }
    let names = try store.compact()
    #expect(names == ["Visit"])
    let compacted = try indexByteCount()
    let numbers = (0..<60_000).filter { $0 % kept == 0 }
    try expectAnswers(numbers)
    try store.close()

    let other = TemporaryStore(directory)
    let fresh = try other.byteCount(of: numbers)
    #expect(compacted <= fresh + fresh / 4, "\(compacted) bytes compacted, \(fresh) bytes in a new store")
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 60))
  func `random deletes and compactions keep every entry`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var present: Set<Int> = []
    var next = 0
    for round in 0..<25 {
      let count = [1, 40, 1_500].randomElement(using: &random) ?? 1
      try insert(next..<next + count)
      present.formUnion(next..<next + count)
      next += count
      let removed = present.shuffled(using: &random).prefix(Int.random(in: 0...present.count, using: &random))
      let isRange = Bool.random(using: &random)
      let chosen: Set<Int> = isRange ? Set(present.sorted().prefix(removed.count)) : Set(removed)
      try store.delete(store.fetch(Visit.self).filter { chosen.contains($0.number) })
      present.subtract(chosen)
      try store.saveChanges(durability: .relaxed)
      if round % 6 == 5 { try store.compact() }
      #expect(try store.verify().problems.isEmpty, "seed \(seed), round \(round)")
      let found = try store.fetch(Visit.all.sorted(by: \.number).limit(.max)).map(\.number)
      #expect(found == present.sorted(), "seed \(seed), round \(round)")
    }
    try store.close()
  }

  /// A new store into which the objects are inserted in the order of an index.
  private struct TemporaryStore {
    let directory: TemporaryDirectory

    init(_ directory: TemporaryDirectory) { self.directory = directory }

    func byteCount(of numbers: [Int]) throws -> Int {
      let path = directory.path("fresh")
      let store = try Store(.directory(path), classes: [Visit.self])
      for number in numbers {
        let visit = Visit()
        (visit.number, visit.page) = (number, "page \(number % 977) of \(number)")
        try store.insert(visit)
      }
      try store.saveChanges()
      try store.compact()
      try store.close()
      return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains("index") }.map { name in
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
      }.reduce(0, +)
    }
  }
}
