/// The location of an entry as path components from the start of a walk, for messages only.
///
/// Each path refers to its directory's path. Adding a component takes constant time at any depth, and the whole path is
/// only assembled for a message.
///
/// `@unchecked Sendable`: nothing changes between `init` and `deinit`, and `deinit` only changes paths without another
/// reference.
final class EntryPath: @unchecked Sendable {
  private var parent: EntryPath?
  let name: [UInt8]

  init(_ name: [UInt8], in parent: EntryPath? = nil) {
    self.name = name
    self.parent = parent
  }

  /// Releases the parents in a loop; recursive release would need a stack as deep as the tree.
  deinit {
    var next = parent.take()
    while next != nil, isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
  }

  /// The path components, outermost first.
  var names: [[UInt8]] {
    var names: [[UInt8]] = []
    var next: EntryPath? = self
    while let path = next {
      names.append(path.name)
      next = path.parent
    }
    return names.reversed()
  }

  /// The components joined by "/", without a leading "." from the start of the walk.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var names = names
    if names.count > 1, names[0] == [UInt8(ascii: ".")] { names.removeFirst() }
    for name in names where !name.isEmpty {
      if let last = bytes.last, last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
      bytes += name
    }
    return bytes
  }

  /// Returns the path of an entry in this directory.
  func bytes(of name: [UInt8]) -> [UInt8] { EntryPath(name, in: self).bytes }
}

/// The rules for the name of a directory entry.
enum FileName {
  static let byteCountLimit = 255

  /// Tests whether a name is a single path component, so that it can refer only to a direct child of a directory.
  static func isStep(_ name: [UInt8]) -> Bool {
    guard !name.isEmpty, name.count <= byteCountLimit else { return false }
    guard !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else { return false }
    return !isDots(name)
  }

  /// Tests whether a name is "." or "..".
  static func isDots(_ name: some Collection<UInt8>) -> Bool {
    name.count <= 2 && !name.isEmpty && name.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}
