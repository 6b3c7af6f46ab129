// The memory that commits of one large record take.
import Foundation
import TestSupport
import Todana

extension CrashChild {
  /// Commits a large record, a change of one of its bytes, and other content of the same size.
  ///
  /// Prints the growth of memory in bytes during each commit. Then prints whether the last content is read as it was
  /// written.
  static func commitLargeRecord(_ path: String, _ arguments: [String]) throws {
    guard let byteCount = arguments.first.flatMap({ Int($0) }) else {
      return report("usage: large-record <path> <bytes>")
    }
    // A copy of the file in the background would take memory, too.
    var options = KyotoBackend.Options()
    options.compactionRoomByteCount = 0
    var backend = try KyotoBackend(.directory(path), options: options)
    let rows = try backend.keyspaceID(of: .rows, named: Array("Recording".utf8))
    var record = [UInt8](repeating: 7, count: byteCount)
    var growths: [Int] = []
    for number in 0..<3 {
      if number == 1 { record[byteCount / 2] = 8 }
      if number == 2 { record = [UInt8](repeating: 9, count: byteCount) }
      var batch = WriteBatch()
      batch.put(record, row: 1, in: rows, expecting: .anything)
      batch.sort()
      let start = ProcessMemory.anonymousByteCount
      let (peak, _) = try ProcessMemory.peakAnonymousByteCount { try backend.commit(batch, durability: .full) }
      growths.append(peak - start)
    }
    try backend.close()
    backend = try KyotoBackend(.directory(path))
    let found = try backend.snapshot().scan(rows).remainingRows().map(\.value)
    report("\(growths.map { "\($0)" }.joined(separator: " ")) \(found == [record])")
    try backend.close()
  }
}
