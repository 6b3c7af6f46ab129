// Stores that are closed by the closure of a loop, while another store keeps the backend open.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ClosedInLoopTests {
  private let store: Store
  private let other: Store

  init() throws {
    store = try Store(.inMemory, classes: [Song.self])
    other = try Store(backend: store.backend, classes: [Song.self])
    for number in 0..<10_000 { try other.insert(Song("song \(number)", seconds: UInt32(number))) }
    try other.saveChanges()
  }

  private func expectClosed(_ loop: (inout Int) throws -> Void) throws {
    var count = 0
    let error = #expect(throws: StoreError.self) { try loop(&count) }
    #expect(error?.code == .closed)
    #expect(count == 3)
    try other.close()
  }

  @Test func `forEach ends with an error`() throws {
    try expectClosed { count in
      try store.forEach(Song.self) { _, _ in
        count += 1
        if count == 3 { try store.close() }
      }
    }
  }

  @Test func `forEach over a query ends with an error`() throws {
    try expectClosed { count in
      try store.forEach(Song.where { $0.seconds < 5_000 }) { _, _ in
        count += 1
        if count == 3 { try store.close() }
      }
    }
  }

  @Test func `a loop over raw records ends with an error`() throws {
    try expectClosed { count in
      try store.rawRecords(ofClassNamed: "Song") { _, _ in
        count += 1
        if count == 3 { try store.close() }
      }
    }
  }

  @Test func `an asynchronous stream ends with an error`() async throws {
    var count = 0
    do {
      for try await _ in store.objects(Song.self) {
        count += 1
        if count == 3 { try store.close() }
      }
      Issue.record("The stream has ended without an error.")
    } catch {
      #expect((error as? StoreError)?.code == .closed)
    }
    #expect(count == 3)
    try other.close()
  }
}
