import TestSupport
import Testing
import Todana

/// The size of a small save in the log.
///
/// Encryption may take one more sector than a plain store, however many classes there are.
@Suite struct SmallCommitTests {
  @Test(arguments: [20, LongTests.areEnabled ? 10_000 : 500])
  func `encryption takes at most one more sector of the log`(classCount: Int) throws {
    let plain = try commitByteCounts(of: nil, classCount)
    let encrypted = try commitByteCounts(of: .key([UInt8](repeating: 1, count: 16)), classCount)
    print("log of a small commit, \(classCount) classes: \(plain) bytes; encrypted \(encrypted)")
    for (plain, encrypted) in zip(plain, encrypted) { #expect(encrypted <= plain + 512) }
  }

  /// Returns the sizes of commits that each update one row.
  ///
  /// The first three are in classes of 100 rows: the first, a middle and the last class. The last one is in the second
  /// class, which has one row.
  private func commitByteCounts(of secret: StoreSecret?, _ classCount: Int) throws -> [Int] {
    let directory = try TemporaryDirectory(isInMemory: true)
    var options = KyotoBackend.Options()
    options.sectorSize = .bytes512
    let backend = try KyotoBackend(.directory(directory.path("Store")), secret: secret, options: options)
    var ids: [KeyspaceID] = []
    for number in 0..<classCount { ids.append(try backend.keyspaceID(of: .rows, named: Array("Class\(number)".utf8))) }
    let largeClasses = [0, classCount / 2, classCount - 1]
    for (index, id) in ids.enumerated() {
      var batch = WriteBatch()
      let rowCount: RowID = largeClasses.contains(index) ? 100 : 1
      for row in 1...rowCount {
        batch.put([UInt8](repeating: 1, count: 60), row: row, in: id)
      }
      batch.sort()
      _ = try backend.commit(batch, durability: .bulk)
    }
    try backend.checkpoint()
    var counts: [Int] = []
    for index in largeClasses + [1] {
      for round in 0..<2 as Range<UInt8> {
        var batch = WriteBatch()
        batch.put([UInt8](repeating: 2 + round, count: 60), row: 1, in: ids[index], expecting: .anything)
        let before = try backend.statistics().logByteCount
        _ = try backend.commit(batch, durability: .full)
        if round == 1 { counts.append(try backend.statistics().logByteCount - before) }
      }
    }
    try backend.close()
    return counts
  }
}
