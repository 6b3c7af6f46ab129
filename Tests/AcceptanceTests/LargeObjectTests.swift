// Objects of some megabytes, whose pages go to the files of the store before the save is complete.
import Foundation
import TestSupport
import Testing
import Todana

private final class Recording: StoredObject {
  var number = 0
  var samples: [UInt8] = []

  override class var indexes: [Index] { [Index(\Recording.number, unique: true)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    samples = try buffer.readBytes()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeBytes(samples)
  }
}

@Suite(.serialized) struct LargeObjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ isEncrypted: Bool, _ direct: Int) throws -> Store {
    var configuration = StoreConfiguration()
    if isEncrypted { configuration.encryption = SaveWorkload.encryption }
    configuration.tuning.directThresholdByteCount = direct
    return try Store(
      .directory(directory.path("store")), classes: [Recording.self], configuration: configuration)
  }

  /// Saves, failed saves and new openings in random order.
  ///
  /// Objects have up to 400 KB, and some as much as 6 MB.
  @Test(arguments: [false, true], [16 << 10, 1 << 20])
  func `large objects are read as the last complete save wrote them`(_ isEncrypted: Bool, _ direct: Int) throws {
    var random = SeededGenerator(seed: UInt64(direct) + (isEncrypted ? 1 : 0))
    var store = try open(isEncrypted, direct)
    var model: [Int: [UInt8]] = [:]
    func anySamples() -> [UInt8] {
      let most = Int.random(in: 0..<12, using: &random) == 0 ? 6_000_000 : 400_000
      let factor = UInt64.random(in: 0...UInt64.max, using: &random) | 1
      let byteCount = Int.random(in: 0...most, using: &random)
      return (0..<byteCount).map { UInt8(truncatingIfNeeded: UInt64($0) &* factor >> 11) }
    }
    for round in 0..<(LongTests.areEnabled ? 400 : 40) {
      var next = model
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let number = Int.random(in: 0..<8, using: &random)
        let found = try store.fetch(Recording.where { $0.number == number }).first
        switch (found, Int.random(in: 0..<4, using: &random)) {
        case (nil, _):
          let recording = Recording()
          (recording.number, recording.samples) = (number, anySamples())
          try store.insert(recording)
          next[number] = recording.samples
        case (let found?, 0):
          try store.delete(found)
          next[number] = nil
        case (let found?, 1) where !found.samples.isEmpty:
          let index = Int.random(in: found.samples.indices, using: &random)
          try store.update(found) { $0.samples[index] &+= 1 }
          next[number] = found.samples
        case (let found?, 2):
          // Other bytes of the same size.
          try store.update(found) { for index in $0.samples.indices { $0.samples[index] ^= 0x5a } }
          next[number] = found.samples
        case (let found?, _):
          let samples = anySamples()
          try store.update(found) { $0.samples = samples }
          next[number] = samples
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0, let taken = next.keys.first {
        // The save fails after its new pages are in the files.
        let duplicate = Recording()
        (duplicate.number, duplicate.samples) = (taken, anySamples())
        try store.insert(duplicate)
        #expect(throws: UniqueViolation.self) { try store.saveChanges() }
        store.discardChanges()
      } else {
        try store.saveChanges()
        model = next
      }
      if round % 5 == 4 {
        try store.close()
        store = try open(isEncrypted, direct)
      }
      let found = try store.fetch(Recording.self)
      #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.number, $0.samples) }) == model, "round \(round)")
    }
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  #if os(Linux)
    @Test(.disabled(if: Sanitizer.isUsed, "\(Sanitizer.reason)"))
    func `a commit of a large record takes little memory besides the record`() throws {
      let byteCount = (LongTests.areEnabled ? 300 : 48) << 20
      let child = try ChildProcess("large-record", directory.path("store"), "\(byteCount)")
      let words = child.remainingLines().flatMap { $0.split(separator: " ") }
      try #require(child.waitForExit() == 0 && words.count == 4, "\(words)")
      for word in words.prefix(3) { #expect(try #require(Int(word)) < byteCount / 10 + (4 << 20), "\(words)") }
      #expect(words[3] == "true", "the record is read as it was written")
    }
  #endif
}
