/// A POSIX access control list, between what Linux keeps in an attribute and the text that tar has.
///
/// Linux: the version, 2, and for each entry tag, permissions and number, 16, 16 and 32 bits, little-endian (linux,
/// `posix_acl_xattr.h`). tar: "user::rw-,user:1000:r--,group::r--,mask::r--,other::---" (star's `SCHILY.acl.access`).
/// Numbers are written instead of names, so that none is taken for another; GNU tar, star and bsdtar read both.
struct AccessControlList: Equatable {
  struct Entry: Equatable {
    var tag: Tag
    /// Read 4, write 2, execute 1.
    var permissions: UInt8
    /// Of the user or group; nil for tags that have none.
    var id: UInt32?
  }

  enum Tag: UInt16, CaseIterable {
    case owner = 1
    case user = 2
    case owningGroup = 4
    case group = 8
    case mask = 16
    case other = 32

    var isNamed: Bool { self == .user || self == .group }

    var word: String {
      switch self {
      case .owner, .user: "user"
      case .owningGroup, .group: "group"
      case .mask: "mask"
      case .other: "other"
      }
    }
  }

  static let attributeNames = [
    "SCHILY.acl.access": "system.posix_acl_access", "SCHILY.acl.default": "system.posix_acl_default",
  ]
  private static let version: [UInt8] = [2, 0, 0, 0]

  var entries: [Entry]

  /// Nil for anything that would not come back the same.
  init?(attribute bytes: [UInt8]) {
    guard bytes.starts(with: Self.version), bytes.count % 8 == 4, bytes.count > 4 else { return nil }
    entries = []
    for start in stride(from: 4, to: bytes.count, by: 8) {
      let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + 4 + $1]) << (8 * UInt32($1)) }
      guard let tag = Tag(rawValue: UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8),
        bytes[start + 2] <= 7, bytes[start + 3] == 0, tag.isNamed || number == .max,
        entries.last.map({ $0.tag.rawValue <= tag.rawValue }) ?? true
      else { return nil }
      entries.append(Entry(tag: tag, permissions: bytes[start + 2], id: tag.isNamed ? number : nil))
    }
  }

  var attribute: [UInt8] {
    entries.reduce(into: Self.version) { bytes, entry in
      bytes += [UInt8(entry.tag.rawValue), 0, entry.permissions, 0]
      let number = entry.id ?? .max
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
  }

  /// The nine bits that a file with this list has; nil where the list does not have all that say so.
  var permissions: UInt16? {
    func permissions(_ tag: Tag) -> UInt16? { entries.first { $0.tag == tag }.map { UInt16($0.permissions) } }
    guard let owner = permissions(.owner), let group = permissions(.mask) ?? permissions(.owningGroup),
      let other = permissions(.other)
    else { return nil }
    return owner << 6 | group << 3 | other
  }

  /// Whether the nine bits say all that this does.
  var isOnlyPermissions: Bool { entries.map(\.tag) == [.owner, .owningGroup, .other] }
}
