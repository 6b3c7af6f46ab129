internal import CFileSystem
internal import Glibc
internal import Synchronization

/// A cache of the system's user and group names, which looks up each of them only once.
///
/// Thread-safe. A lookup may ask a directory server; other threads wait until it ends.
package final class OwnerNames: Sendable {
  /// The size at which one table of the cache is emptied, to bound its memory; no usual tree has so many owners.
  private static let limit = 10_000

  private struct Cache {
    var userNames: [UInt32: [UInt8]?] = [:]
    var groupNames: [UInt32: [UInt8]?] = [:]
    var userIDs: [[UInt8]: UInt32?] = [:]
    var groupIDs: [[UInt8]: UInt32?] = [:]
  }

  private let cache = Mutex(Cache())

  package init() {}

  /// Returns an owner with names for its numbers; a name is nil if the number is unknown or the lookup fails.
  package func owner(userID: UInt32, groupID: UInt32) -> FileOwner {
    cache.withLock { cache in
      FileOwner(
        userID: userID, groupID: groupID,
        userName: Self.look(up: userID, in: &cache.userNames) { id in
          unsafe Self.name { unsafe tdf_user_name(id, $0.baseAddress, $0.count) }
        },
        groupName: Self.look(up: groupID, in: &cache.groupNames) { id in
          unsafe Self.name { unsafe tdf_group_name(id, $0.baseAddress, $0.count) }
        })
    }
  }

  /// Returns this system's numbers for an owner's names; the owner's own numbers if a name is unknown here.
  package func numbers(of owner: FileOwner) -> (userID: UInt32, groupID: UInt32) {
    cache.withLock { cache in
      let userID = owner.userName.flatMap { name in
        Self.look(up: name, in: &cache.userIDs) { name in
          Self.number(unsafe name.withUnsafeBufferPointer { unsafe tdf_user_number($0.baseAddress, $0.count) })
        }
      }
      let groupID = owner.groupName.flatMap { name in
        Self.look(up: name, in: &cache.groupIDs) { name in
          Self.number(unsafe name.withUnsafeBufferPointer { unsafe tdf_group_number($0.baseAddress, $0.count) })
        }
      }
      return (userID ?? owner.userID, groupID ?? owner.groupID)
    }
  }

  private static func look<Key: Hashable, Value>(
    up key: Key, in found: inout [Key: Value?], _ ask: (Key) -> Value?
  ) -> Value? {
    if let known = found[key] { return known }
    let value = ask(key)
    if found.count >= limit { found.removeAll() }
    found.updateValue(value, forKey: key)
    return value
  }

  private static func name(_ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int64) -> [UInt8]? {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { buffer in
      let count = unsafe fill(buffer)
      guard count >= 0 else { return nil }
      return unsafe Array(buffer.prefix(Int(count)))
    }
  }

  private static func number(_ result: Int64) -> UInt32? { UInt32(exactly: result) }
}
