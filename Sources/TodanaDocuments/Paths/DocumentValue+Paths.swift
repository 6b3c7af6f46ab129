internal import Todana

extension DocumentValue {
  /// The value at a path; nil if there is none.
  ///
  /// ```swift
  /// user["address.country"]      // "US"
  /// user["emails[0]"] = "john@foo.com"
  /// user["address.street"] = nil // removes the key
  /// ```
  ///
  /// With `[*]` or `**` in the path, reading returns the first value, and an assignment changes all existing ones.
  /// Assigning to a missing key makes it, with the dictionaries on the way to it. An assignment that is not possible
  /// changes nothing: to a key of a value that is no dictionary, or to an index after the end of an array. Assigning to
  /// the index at the end appends an element. ``set(_:at:)`` throws an error instead.
  public subscript(path: String) -> DocumentValue? {
    get { DocumentPath.isOneKey(path) ? fields?[path] : value(at: DocumentPath(path)) }
    set { _ = try? set(newValue, at: DocumentPath(path)) }
  }

  /// The element of an array at an index; nil for other values and after the end.
  ///
  /// Assigning nil removes the element. An assignment that is not possible changes nothing.
  public subscript(index: Int) -> DocumentValue? {
    get {
      guard case .array(let values) = storage, values.indices.contains(index) else { return nil }
      return values[index]
    }
    set { _ = try? set(newValue, at: DocumentPath(steps: [.index(index)])) }
  }

  /// Returns the value at a path, the first if there are several; nil if there is none.
  public func value(at path: DocumentPath) -> DocumentValue? {
    guard path.isSingle else {
      var first: DocumentValue?
      forEachValue(at: path) { value in
        first = value
        return false
      }
      return first
    }
    var value = self
    for step in path.steps {
      guard let next = value.child(step) else { return nil }
      value = next
    }
    return value
  }

  /// Returns all values at a path, in the order of the document.
  public func values(at path: DocumentPath) -> [DocumentValue] {
    var values: [DocumentValue] = []
    forEachValue(at: path) { value in
      values.append(value)
      return true
    }
    return values
  }

  private func child(_ step: DocumentPath.Step) -> DocumentValue? {
    switch (step, storage) {
    case (.key(let key), .dictionary(let dictionary)): return dictionary[key]
    case (.index(let index), .array(let values)) where values.indices.contains(index): return values[index]
    default: return nil
    }
  }

  /// Calls back with each value at a path, in the order of the document, until the closure returns false.
  func forEachValue(at path: DocumentPath, _ body: (DocumentValue) -> Bool) {
    var value = self
    let wildcard = path.steps.firstIndex(where: \.isWildcard) ?? path.steps.endIndex
    for step in path.steps[..<wildcard] {
      guard let next = value.child(step) else { return }
      value = next
    }
    _ = value.visit(PathPositions(path.steps[wildcard...]), body)
  }

  private func visit(_ positions: PathPositions, _ body: (DocumentValue) -> Bool) -> Bool {
    var positions = positions
    positions.enter(isArray: kind == .array)
    if positions.isComplete, !body(self) { return false }
    switch storage {
    case .array(let values):
      for (index, value) in values.enumerated() {
        let next = positions.element(at: index)
        if !next.isEmpty, !value.visit(next, body) { return false }
      }
    case .dictionary(let entries):
      for (key, value) in entries {
        let next = positions.entry { String.isEqual(key, $0) }
        if !next.isEmpty, !value.visit(next, body) { return false }
      }
    default: break
    }
    return true
  }
}
