/// Regular expressions as texts.
enum RegexText {
  /// Returns the expression without backslashes before slashes, which have no meaning of their own.
  static func normalized(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped, scalar == "/" { result.removeLast() }
      result.append(scalar)
      isEscaped = scalar == "\\" && !isEscaped
    }
    return String(result)
  }
}
