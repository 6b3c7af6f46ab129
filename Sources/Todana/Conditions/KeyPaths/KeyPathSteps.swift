/// The steps of a key path, parsed from its debug description, which is the only way to get them.
///
/// `\Song.album?.title` has the steps `album` and `title`. The names of stored properties come from the type's
/// metadata. If a program is built without reflection metadata, the description contains offsets in place of names.
struct KeyPathSteps {
  enum Step: Equatable {
    /// A stored property of a class or structure.
    case stored(name: Substring)
    /// A stored property without a name.
    case unnamed
    /// A computed property, a subscript, or a stored property that is read through its accessors.
    ///
    /// Accessors are used if the class can have subclasses, or if the property has observers or a wrapper.
    case computed
  }

  private(set) var steps: [Step] = []

  /// Determines the steps of a key path from its debug description.
  ///
  /// - Returns: nil if the description does not have the expected form.
  init?(_ keyPath: AnyKeyPath) {
    let description = keyPath.debugDescription
    let start = "\\" + _typeName(type(of: keyPath).rootType, qualified: false)
    guard description.hasPrefix(start) else { return nil }
    var rest = description.dropFirst(start.count)
    if rest == ".self" { return }
    while !rest.isEmpty {
      guard let step = Self.takeStep(&rest) else { return nil }
      if let step { steps.append(step) }
    }
  }

  /// Takes the next step.
  ///
  /// - Returns: A step; `.some(nil)` for `?` and `!`, which are not steps; nil if the form is unknown.
  private static func takeStep(_ rest: inout Substring) -> Step?? {
    switch rest.removeFirst() {
    case "?", "!": return .some(nil)
    case ".": break
    default: return nil
    }
    if rest.first == "<" {
      guard let end = rest.firstRange(of: ")>") else { return nil }
      // The type between the parentheses may contain `)>` as well.
      var text = rest[..<end.upperBound]
      while text.count(where: { $0 == "(" }) != text.count(where: { $0 == ")" }) {
        guard let next = rest[text.endIndex...].firstRange(of: ")>") else { return nil }
        text = rest[..<next.upperBound]
      }
      rest = rest[text.endIndex...]
      return text.hasPrefix("<offset") ? .some(.unnamed) : .some(.computed)
    }
    let name = rest.prefix { $0 != "." && $0 != "?" && $0 != "!" }
    rest = rest[name.endIndex...]
    return .some(.stored(name: name))
  }
}
