// Memory of pages in every state, released: reads still return the saved content.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ReleaseMemoryTests {
  private final class Blob: StoredObject {
    var bytes: [UInt8] = []

    override func readContent(from buffer: inout DataBuffer) throws { bytes = try buffer.readBytes() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeBytes(bytes) }
  }

  @Test(arguments: EveryBackend.allCases, [1, 2] as [UInt64])
  func `reads return the saved content after any release of memory`(kind: EveryBackend, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [Blob.self])
    var model: [RowID: [UInt8]] = [:]
    // Old states, read after memory of the pages that replaced them was released.
    var snapshots: [(snapshot: any BackendSnapshot, model: [RowID: [UInt8]])] = []
    for round in 0..<(LongTests.areEnabled ? 40 : 12) {
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let limit = [100, 5000, 70_000, 300_000].randomElement(using: &generator) ?? 0
        let bytes = patternedBytes(generator.next(), count: Int.random(in: 0...limit, using: &generator))
        let known = model.keys.sorted().randomElement(using: &generator)
        if let known, Int.random(in: 0..<2, using: &generator) == 0,
          let blob = try store.fetch(Blob.self).first(where: { $0.id?.rowID == known })
        {
          if Int.random(in: 0..<4, using: &generator) == 0 {
            try store.delete(blob)
            model[known] = nil
          } else {
            try store.update(blob) { $0.bytes = bytes }
            model[known] = bytes
          }
        } else {
          let blob = Blob()
          blob.bytes = bytes
          model[try store.insert(blob).rowID] = bytes
        }
      }
      try store.saveChanges(durability: Bool.random(using: &generator) ? .full : .relaxed)
      if Int.random(in: 0..<4, using: &generator) == 0 { try backend.operations?.checkpoint() }
      if backend.operations != nil, Int.random(in: 0..<8, using: &generator) == 0 { _ = try store.compact() }
      if Int.random(in: 0..<5, using: &generator) == 0 { snapshots.append((try backend.snapshot(), model)) }
      try store.releaseMemory()
      let problem = "\(kind), seed \(seed), round \(round)"
      let fresh = try Store(backend: backend, classes: [Blob.self])
      let found = Dictionary(uniqueKeysWithValues: try fresh.fetch(Blob.self).map { ($0.id?.rowID ?? 0, $0.bytes) })
      let isEqual = found == model
      #expect(isEqual, "\(problem)")
      for (snapshot, old) in snapshots {
        let classID = try #require(try RecordSealing(backend).keyspaces().first { $0.name == Array("Blob".utf8) }?.id)
        #expect(try snapshot.count(of: classID) == old.count, "\(problem)")
        let scan = try snapshot.scan(classID)
        let chunk = RecordChunk()
        var lengths: [RowID: Int] = [:]
        repeat {
          try scan.next(into: chunk)
          for slice in chunk.slices where slice.status == .found { lengths[slice.rowID] = slice.value.count }
        } while !chunk.slices.isEmpty
        #expect(lengths.count == old.count, "\(problem)")
        for (rowID, length) in lengths { #expect(length >= old[rowID]?.count ?? .max, "\(problem), row \(rowID)") }
      }
      if snapshots.count > 3 { snapshots.removeFirst() }
    }
    #expect(try store.verify().problems.isEmpty)
  }

  @Test func `a snapshot of a replaced file keeps the pages that exist only in memory`() throws {
    let directory = try TemporaryDirectory()
    let backend = try KyotoBackend(.directory(directory.path("Store.todana")))
    defer { try? backend.close() }
    let store = try Store(backend: backend, classes: [Blob.self])
    let blobs = try (0..<10).map { _ in
      let blob = Blob()
      blob.bytes = patternedBytes(1, count: 100_000)
      try store.insert(blob)
      return blob
    }
    try store.saveChanges()
    try backend.checkpoint()
    // The new values are in the log and not yet in the file.
    for blob in blobs { try store.update(blob) { $0.bytes = patternedBytes(2, count: 100_000) } }
    try store.saveChanges()
    let snapshot = try backend.snapshot()
    let classID = try #require(try RecordSealing(backend).keyspaces().first { $0.name == Array("Blob".utf8) }?.id)
    // A new file replaces the old one, which the snapshot still reads.
    try backend.commit { batch in batch.appendClear(of: classID) }
    let rowID = try #require(blobs[0].id?.rowID)
    let chunk = RecordChunk()
    for _ in 0..<2 {
      try store.releaseMemory()
      try snapshot.read(rows: [rowID].span, of: classID, into: chunk)
      let slice = try #require(chunk.slices.first)
      let record = unsafe Array(chunk.arena.bytes[slice.value])
      #expect(record.count > 100_000)
      let holdsContent = patternedBytes(2, count: 100_000).suffix(90_000).elementsEqual(
        record.dropLast(8).suffix(90_000))
      #expect(holdsContent)
    }
  }

  @Test func `a read-only store keeps the commits of the log when memory is released`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Store.todana")
    let other = directory.path("Copy.todana")
    let store = try Store(.directory(path), classes: [Blob.self])
    for number in 0..<50 {
      let blob = Blob()
      blob.bytes = patternedBytes(UInt64(number), count: 100_000)
      try store.insert(blob)
    }
    try store.saveChanges()
    try store.backend.operations?.checkpoint()
    let first = try #require(try store.fetch(Blob.self).first)
    for number in 100..<110 {
      try store.update(first) { $0.bytes = patternedBytes(UInt64(number), count: 100_000) }
      try store.saveChanges()
    }
    // A copy of an open store is like one left by a killed process: the last saves are only in the log.
    try FileManager.default.copyItem(atPath: path, toPath: other)
    try store.close()
    var configuration = StoreConfiguration()
    configuration.access = .read
    let reader = try Store(.directory(other), classes: [Blob.self], configuration: configuration)
    defer { try? reader.close() }
    for _ in 0..<2 {
      try reader.releaseMemory()
      try reader.turnCleanObjectsIntoFaults()
      #expect(try reader.fetch(Blob.self).first?.bytes == patternedBytes(109, count: 100_000))
      #expect(try reader.fetch(Blob.self).count == 50)
    }
  }

  /// Tests the release of mapped memory: the kernel maps up to 2 MiB around each header that is read.
  @Test func `large records that were read do not stay in memory`() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try Store(.directory(directory.path("store")), classes: [Blob.self])
      for number in 0..<96 {
        let blob = Blob()
        blob.bytes = patternedBytes(UInt64(number), count: 1 << 20)
        try store.insert(blob)
        if number % 8 == 7 { try store.saveChanges() }
      }
      try store.close()
    }
    let store = try Store(.directory(directory.path("store")), classes: [Blob.self])
    var most = 0
    try store.forEach(Blob.self) { blob, _ in
      #expect(blob.bytes.count == 1 << 20)
      most = max(most, try Self.mappedByteCount(in: directory.path("store")))
    }
    #expect(try store.verify().isSound)
    most = max(most, try Self.mappedByteCount(in: directory.path("store")))
    #expect(most > 0 && most < 32 << 20)
    try store.close()
  }

  /// Returns the bytes of a directory's files that are in this process's memory.
  private static func mappedByteCount(in path: String) throws -> Int {
    var sum = 0
    var isInside = false
    // Reads to the end, because the system reports the file's size as 0.
    let data = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() ?? Data()
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard let first = fields.first else { continue }
      if first.contains("-"), !first.hasSuffix(":") { isInside = fields.last?.contains(path) ?? false }
      if isInside, first == "Rss:", fields.count > 1 { sum += (Int(fields[1]) ?? 0) << 10 }
    }
    return sum
  }
}
