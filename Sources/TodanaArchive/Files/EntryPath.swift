/// Where something is, as steps from where a walk began: for messages, never for a call of the system.
///
/// A path is linked to that of its directory, so one more step costs the same at any depth, and nothing of a tree's
/// depth is copied until somebody wants to read it.
///
/// `@unchecked Sendable`: nothing changes after `init` but in `deinit`, for paths that nobody else has.
final class EntryPath: @unchecked Sendable {
  private var parent: EntryPath?
  let name: [UInt8]

  init(_ name: [UInt8], in parent: EntryPath? = nil) {
    self.name = name
    self.parent = parent
  }

  /// Lets go of one directory after the other: each letting go of the next would need a stack as deep as the tree.
  deinit {
    var next = parent.take()
    while next != nil, isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
  }

  /// The steps from the outermost on.
  var names: [[UInt8]] {
    var names: [[UInt8]] = []
    var next: EntryPath? = self
    while let path = next {
      names.append(path.name)
      next = path.parent
    }
    return names.reversed()
  }

  /// The steps with "/" between them, without a "." that a walk began with.
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

  /// The path of something in this directory.
  func bytes(of name: [UInt8]) -> [UInt8] { EntryPath(name, in: self).bytes }
}

/// The rules for one step beneath a directory.
enum FileName {
  static let byteCountLimit = 255

  /// Whether bytes name something in a directory itself: nothing that leads out of it, or deeper.
  static func isStep(_ name: [UInt8]) -> Bool {
    guard !name.isEmpty, name.count <= byteCountLimit else { return false }
    guard !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else { return false }
    return !isDots(name)
  }

  /// "." and "..".
  static func isDots(_ name: some Collection<UInt8>) -> Bool {
    name.count <= 2 && !name.isEmpty && name.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}
