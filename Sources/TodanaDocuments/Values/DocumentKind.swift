/// The kinds of values in documents, in the order in which values of different kinds are sorted.
///
/// | kind | order within the kind |
/// |---|---|
/// | null | a missing field counts as null |
/// | Boolean | false, then true |
/// | number | by exact value, whether integer or floating-point; NaN equals itself and comes last, -0.0 equals 0.0 |
/// | string | by the bytes of the UTF-8 |
/// | date | by time |
/// | UUID | by its bytes |
/// | bytes | byte by byte |
/// | array | element by element; the beginning of an array comes before the array |
/// | dictionary | entry by entry in the order of the keys' bytes: first by key, then by value |
///
/// Sorts, indexes and uniqueness use this order for all values. In a condition, `<` and `>` compare values of one kind
/// only: `[age] > 20` is false if the age is a text. Values of different kinds are never equal.
public enum DocumentKind: UInt8, Sendable, CaseIterable, Comparable {
  case null = 0x10
  case bool = 0x20
  case number = 0x30
  case string = 0x40
  case date = 0x50
  case uuid = 0x60
  case bytes = 0x70
  case array = 0x80
  case dictionary = 0x90

  public static func < (lhs: DocumentKind, rhs: DocumentKind) -> Bool { lhs.rawValue < rhs.rawValue }
}
