import Todana

/// The length of a line, in characters.
enum LengthClass: UInt8, OrderedValue, CustomStringConvertible {
  case short, medium, long, longest

  init(of text: String) {
    self =
      switch text.count {
      case ...20: .short
      case ...40: .medium
      case ...80: .long
      default: .longest
      }
  }

  var description: String {
    switch self {
    case .short: "1–20"
    case .medium: "21–40"
    case .long: "41–80"
    case .longest: "over 80"
    }
  }
}
