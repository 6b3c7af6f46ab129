import TestSupport
import Testing
import Todana

/// Commits forty records to each keyspace, under the numbers 1 to 40.
@discardableResult
func fill(_ store: OpenBackend) throws(BackendError) -> CommitNumber {
  try store.backend.commit { batch in
    for number in 1...40 as ClosedRange<UInt64> {
      batch.put(patternedBytes(number), row: number, in: store.songs)
      batch.put(patternedBytes(number), key: [UInt8(number)], in: store.names)
      batch.put(patternedBytes(number), key: [UInt8(number)], in: store.index)
    }
  }
}

/// Expects a scan of each keyspace to find as many records as the backend counts.
///
/// A scan throws if its records are not the committed ones.
func expectWhole(_ store: OpenBackend) throws {
  let snapshot = try store.backend.snapshot()
  let counts = try [store.songs, store.names, store.index].map { try store.backend.count(of: $0) }
  #expect(try snapshot.scan(store.songs).remainingRows().count == counts[0])
  #expect(try snapshot.scan(store.names).remainingKeys().count == counts[1])
  #expect(try snapshot.scan(store.index).remainingKeys().count == counts[2])
}
