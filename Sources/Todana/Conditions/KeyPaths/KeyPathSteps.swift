/// The steps of a key path, as its debug description prints them: it tells them in no other way.
///
/// `\Song.album?.title` has the steps `album` and `title`. The names of stored properties come from the type's metadata;
/// where a program is built without reflection metadata, offsets are printed for them.
struct KeyPathSteps {
  enum Step: Equatable {
    /// A stored property of a class or structure.
    case stored(name: Substring)
    /// A stored property without a name.
    case unnamed
    /// A computed property, a subscript, or a stored property that is reached through its accessors: one of a class that
    /// can have subclasses, with observers, or with a wrapper.
    case computed
  }

  private(set) var steps: [Step] = []

  /// - Returns: nil where the description has another form than a key path's.
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

  /// Takes one step, or `?` or `!`, which are none.
  private static func takeStep(_ rest: inout Substring) -> Step?? {
    switch rest.removeFirst() {
    case "?", "!": return .some(nil)
    case ".": break
    default: return nil
    }
    if rest.first == "<" {
      guard let end = rest.firstRange(of: ")>") else { return nil }
      // The type in it may have such an end, too.
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
