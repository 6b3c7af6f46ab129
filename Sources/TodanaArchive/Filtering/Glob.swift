/// A compiled pattern for paths: `?`, `*`, `[…]` within a name, `**` across names, `\` before what stands for itself.
///
/// It is cut at its slashes, and each part matches one name of a path, or is a `**` and matches any number of names.
/// Matching looks back at most one `*` and one `**` (see `Glob+Matching.swift`).
struct Glob: Sendable, Hashable {
  enum Token: Sendable, Hashable {
    case byte(UInt8)
    /// `?`
    case anyByte
    /// `*`: any bytes of one name, also none.
    case anyRun
    /// `[…]`, by its index in ``Glob/sets``.
    case set(UInt32)
  }

  /// What lies between two slashes of the pattern.
  struct Part: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// One name, byte by byte.
      case literal
      /// One name, by its tokens.
      case wildcards
      /// `**`: at least so many names.
      case names(atLeast: Int)
    }

    var kind: Kind
    /// Where its tokens lie in ``Glob/tokens``.
    var tokens: Range<Int>
  }

  var tokens: [Token] = []
  var sets: [ByteSet] = []
  var parts: [Part] = []
}
