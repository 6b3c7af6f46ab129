/// The identities of the computed properties in a key path, by which Swift compares key paths.
///
/// They can only be read from the memory of a key path, as Swift 6.3 lays it out. Before any other key path is read, the
/// layout is checked with known ones; if it is another one, no identities are known.
enum KeyPathIdentities {
  /// Returns the identity of each step of a key path that is a computed property; nil for other steps.
  ///
  /// `?` and `!` are not steps.
  ///
  /// - Returns: nil if a step cannot be identified.
  static func of(_ keyPath: AnyKeyPath) -> [UInt?]? { isLayoutKnown ? unsafe read(keyPath) : nil }

  /// A class whose key paths the layout is checked with.
  private final class Sample: StoredObject {
    @Loaded var next: Sample?
    @Loaded var text = ""
    var number = 0
    var other: Sample? { number == 0 ? nil : next }
  }

  private static let isLayoutKnown: Bool = {
    let next = unsafe read(\Sample.next), text = unsafe read(\Sample.text), other = unsafe read(\Sample.other)
    guard let next = next?.first ?? nil, let text = text?.first ?? nil, let other = other?.first ?? nil else {
      return false
    }
    let (first, second) = unsafe (read(\Sample.next?.other?.number), read(\Sample.other?.next?.text))
    return Set([next, text, other]).count == 3 && first == [next, other, nil] && second == [other, next, text]
  }()

  // The layout, in words: the object's header (2) and a pointer, then the number of bytes of the components, which
  // follow with a type between two of them. A computed component has a header, its identity, a getter, and a setter if
  // it can be set; the others here have a header only. A header has the kind in its bits 24 to 30.
  @unsafe
  private static func read(_ keyPath: AnyKeyPath) -> [UInt?]? {
    withExtendedLifetime(keyPath) {
      let start = unsafe UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let byteCount = unsafe Int(start.load(fromByteOffset: 24, as: UInt32.self) & 0xFF_FFFF)
      let end = 32 + byteCount
      guard byteCount >= 4, byteCount <= 4096 else { return nil }
      var identities: [UInt?] = []
      var offset = 32
      while offset + 4 <= end {
        let header = unsafe start.load(fromByteOffset: offset, as: UInt32.self)
        switch header >> 24 & 0x7F {
        case 1, 3:
          identities.append(nil)
          offset += 8
        case 2:
          let (hasSetter, hasArguments) = (header & 0x40_0000 != 0, header & 0x8_0000 != 0)
          if hasArguments || offset + 24 > end { return nil }
          identities.append(unsafe start.load(fromByteOffset: offset + 8, as: UInt.self))
          offset += hasSetter ? 32 : 24
        case 4: offset += 8
        default: return nil
        }
        // The type of the component's value, if another one follows.
        offset += 8
      }
      return identities
    }
  }
}
