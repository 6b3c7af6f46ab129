import TestSupport
import Testing
import Todana

/// Forty records in each keyspace, under the numbers from 1 on.
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

/// A scan over all of a keyspace ends with an error where its records are not those that were committed.
func expectWhole(_ store: OpenBackend) throws {
  let snapshot = try store.backend.snapshot()
  let counts = try [store.songs, store.names, store.index].map { try store.backend.count(of: $0) }
  #expect(try snapshot.scan(store.songs).remainingRows().count == counts[0])
  #expect(try snapshot.scan(store.names).remainingKeys().count == counts[1])
  #expect(try snapshot.scan(store.index).remainingKeys().count == counts[2])
}
