/// The named classes of POSIX bracket expressions, `[:alpha:]` and so on, in the "C" locale: ASCII only.
///
/// Source: POSIX.1-2017, XBD 7.3.1 "LC_CTYPE".
enum CharacterClass {
  /// The bytes of the class; nil if POSIX has none of that name.
  static func bytes(named name: ArraySlice<UInt8>) -> ByteSet? {
    guard let (_, ranges) = classes.first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
    var set = ByteSet()
    for range in ranges { set.insert(range) }
    return set
  }

  private static let digits: ClosedRange<UInt8> = 0x30...0x39
  private static let uppercase: ClosedRange<UInt8> = 0x41...0x5A
  private static let lowercase: ClosedRange<UInt8> = 0x61...0x7A

  private static let classes: [(name: String, ranges: [ClosedRange<UInt8>])] = [
    ("alnum", [digits, uppercase, lowercase]),
    ("alpha", [uppercase, lowercase]),
    ("blank", [0x09...0x09, 0x20...0x20]),
    ("cntrl", [0x00...0x1F, 0x7F...0x7F]),
    ("digit", [digits]),
    ("graph", [0x21...0x7E]),
    ("lower", [lowercase]),
    ("print", [0x20...0x7E]),
    ("punct", [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]),
    ("space", [0x09...0x0D, 0x20...0x20]),
    ("upper", [uppercase]),
    ("xdigit", [digits, 0x41...0x46, 0x61...0x66]),
  ]
}
