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
