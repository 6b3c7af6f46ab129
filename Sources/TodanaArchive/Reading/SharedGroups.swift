internal import Synchronization
internal import Todana

/// Groups of small files that were unpacked last, for the next file, which mostly is in the same.
///
/// Any thread.
final class SharedGroups: Sendable {
  private static let keptCount = 8

  /// The group used last comes last.
  private let groups = Mutex<[(row: RowID, bytes: [UInt8])]>([])

  /// The content of a group; `decompress` gives it where it is not known.
  ///
  /// - Throws: What `decompress` throws.
  func group(_ row: RowID, decompress: () throws -> [UInt8]) throws -> [UInt8] {
    let known = groups.withLock { groups -> [UInt8]? in
      guard let index = groups.lastIndex(where: { $0.row == row }) else { return nil }
      if index != groups.count - 1 { groups.append(groups.remove(at: index)) }
      return groups[groups.count - 1].bytes
    }
    if let known { return known }
    let bytes = try decompress()
    groups.withLock { groups in
      if groups.count == Self.keptCount { groups.removeFirst() }
      groups.append((row, bytes))
    }
    return bytes
  }
}
