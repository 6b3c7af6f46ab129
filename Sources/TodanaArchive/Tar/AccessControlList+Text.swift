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

  /// Reads also what others write: one entry a line, comments, names instead of numbers, numbers behind (star).
  ///
  /// Nil for a text that is not understood, and where this system has nobody of a name.
  init?(text: [UInt8], owners: OwnerNames) {
    entries = []
    for part in text.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n") }) {
      let words = part.prefix { $0 != UInt8(ascii: "#") }.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      if words.isEmpty { continue }
      guard let entry = Self.entry(words, owners) else { return nil }
      entries.append(entry)
    }
    // The kernel wants them by tags; sorting here is stable, so who comes first of a tag stays so.
    entries = Tag.allCases.flatMap { tag in entries.filter { $0.tag == tag } }
    if entries.isEmpty { return nil }
  }

  private static func entry(_ words: [UInt8], _ owners: OwnerNames) -> Entry? {
    var fields = words.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
    // Solaris: "other:r-x".
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

  /// The number that this system has for a name.
  private static func id(_ name: [UInt8], _ tag: Tag, _ owners: OwnerNames) -> UInt32? {
    // No number is asked for but by a name, so what stands for "unknown" does not matter as long as it is nobody's.
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
