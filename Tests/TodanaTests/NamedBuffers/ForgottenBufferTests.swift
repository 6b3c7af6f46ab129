// The knowledge about named buffers that were read, of which a store keeps a limited amount.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ForgottenBufferTests {
  private let store: Store
  private let other: Store

  init() throws {
    store = try Store(.inMemory, classes: [])
    other = try Store(backend: store.backend, classes: [])
    try other.writeNamedBuffer("setting") { $0.writeInt(1) }
    try other.saveChanges()
  }

  private func readMany(_ count: Int) throws {
    for number in 0..<count { #expect(try store.readNamedBuffer("absent \(number)") { try $0.readInt() } == nil) }
  }

  private func readSetting() throws -> Int? { try store.readNamedBuffer("setting") { try $0.readInt() } }

  private func expectConflict() throws {
    let conflict = #expect(throws: SaveConflict.self) { try store.saveChanges() }
    #expect(conflict?.bufferNames == ["setting"])
    try store.close(discarding: true)
    try other.close()
  }

  private func changeElsewhere() throws {
    try other.writeNamedBuffer("setting") { $0.writeInt(2) }
    try other.saveChanges()
  }

  @Test func `a change of a buffer that was read before 32,000 others is noticed`() throws {
    #expect(try readSetting() == 1)
    try readMany(32_000)
    try changeElsewhere()
    try store.writeNamedBuffer("setting") { $0.writeInt(3) }
    try expectConflict()
  }

  @Test func `a change of a pending buffer is noticed after any number of others`() throws {
    #expect(try readSetting() == 1)
    try store.writeNamedBuffer("setting") { $0.writeInt(3) }
    try readMany(100_000)
    try changeElsewhere()
    try expectConflict()
  }

  @Test func `names that were read long ago take no memory`() throws {
    try readMany(70_000)
    try changeElsewhere()
    // The store has never read this buffer, or does not remember it: the last save counts, as documented.
    try store.writeNamedBuffer("setting") { $0.writeInt(3) }
    try store.saveChanges()
    #expect(try readSetting() == 3)
    try store.close()
    try other.close()
  }
}
