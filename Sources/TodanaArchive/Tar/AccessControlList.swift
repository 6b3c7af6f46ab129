/// A POSIX access control list, converted between Linux's attribute and the text in a tar.
///
/// The attribute has the version, 2, and for each entry a tag, permissions and an id: 16, 16 and 32 bits, little-endian
/// (linux, `posix_acl_xattr.h`). The text is like "user::rw-,user:1000:r--,group::r--,mask::r--,other::---" (star's
/// `SCHILY.acl.access`). The text written here has ids, because a name may belong to another user or group on another
/// system. GNU tar, star and bsdtar read both ids and names.
struct AccessControlList: Equatable {
  struct Entry: Equatable {
    var tag: Tag
    /// The sum of 4 for reading, 2 for writing, and 1 for executing.
    var permissions: UInt8
    /// The user or group id; nil for tags that have none.
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

  /// Parses an attribute; nil for bytes that ``attribute`` would not reproduce.
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

  /// The nine permission bits of a file with this list; nil if a required entry is missing.
  var permissions: UInt16? {
    func permissions(_ tag: Tag) -> UInt16? { entries.first { $0.tag == tag }.map { UInt16($0.permissions) } }
    guard let owner = permissions(.owner), let group = permissions(.mask) ?? permissions(.owningGroup),
      let other = permissions(.other)
    else { return nil }
    return owner << 6 | group << 3 | other
  }

  /// Whether the nine permission bits are equivalent to the list.
  var isOnlyPermissions: Bool { entries.map(\.tag) == [.owner, .owningGroup, .other] }
}

extension AccessControlList {
  private static let letters = Array("rwx".utf8)

  var text: [UInt8] {
    let parts = entries.map { entry in
      let letters = zip(Self.letters, [4, 2, 1] as [UInt8])
        .map { entry.permissions & $1 != 0 ? $0 : UInt8(ascii: "-") }
      return Array("\(entry.tag.word):\(entry.id.map(String.init) ?? ""):".utf8) + letters
    }
    return Array(parts.joined(separator: [UInt8(ascii: ",")]))
  }

  /// Parses the text, including the forms of other programs.
  ///
  /// The other forms have one entry a line, comments, names instead of ids, or ids after the permissions (star).
  /// Returns nil if the text is not understood, or if this system has no user or group of a name.
  init?(text: [UInt8], owners: OwnerNames) {
    entries = []
    for part in text.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n") }) {
      let words = part.prefix { $0 != UInt8(ascii: "#") }.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      if words.isEmpty { continue }
      guard let entry = Self.entry(words, owners) else { return nil }
      entries.append(entry)
    }
    // The kernel requires the order of tags; entries of one tag keep their order.
    entries = Tag.allCases.flatMap { tag in entries.filter { $0.tag == tag } }
    if entries.isEmpty { return nil }
  }

  private static func entry(_ words: [UInt8], _ owners: OwnerNames) -> Entry? {
    var fields = words.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
    // Accept the Solaris form "other:r-x".
    if fields.count == 2 { fields.insert([], at: 1) }
    guard fields.count >= 3, let permissions = permissions(fields[2]) else { return nil }
    let hasName = !fields[1].isEmpty
    let tag: Tag
    switch String(decoding: fields[0], as: UTF8.self) {
    case "user", "u": tag = hasName ? .user : .owner
    case "group", "g": tag = hasName ? .group : .owningGroup
    case "mask", "m": tag = .mask
    case "other", "o": tag = .other
    default: return nil
    }
    guard tag.isNamed else { return hasName ? nil : Entry(tag: tag, permissions: permissions) }
    guard let id = number(fields.count > 3 ? fields[3] : []) ?? number(fields[1]) ?? id(fields[1], tag, owners) else {
      return nil
    }
    return Entry(tag: tag, permissions: permissions, id: id)
  }

  private static func number(_ text: [UInt8]) -> UInt32? { UInt32(String(decoding: text, as: UTF8.self)) }

  /// Returns this system's id for a name.
  private static func id(_ name: [UInt8], _ tag: Tag, _ owners: OwnerNames) -> UInt32? {
    // The lookup returns `.max` for an unknown name; it is the id of no user or group.
    let owner = FileOwner(
      userID: .max, groupID: .max, userName: tag == .user ? name : nil, groupName: tag == .group ? name : nil)
    let (userID, groupID) = owners.numbers(of: owner)
    let id = tag == .user ? userID : groupID
    return id == .max ? nil : id
  }

  private static func permissions(_ text: [UInt8]) -> UInt8? {
    var permissions: UInt8 = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "r"): permissions |= 4
      case UInt8(ascii: "w"): permissions |= 2
      case UInt8(ascii: "x"): permissions |= 1
      case UInt8(ascii: "-"): continue
      default: return nil
      }
    }
    return permissions
  }
}
