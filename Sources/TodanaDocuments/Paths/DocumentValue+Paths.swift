extension DocumentValue {
  /// The value at a path; nil if there is none.
  ///
  /// ```swift
  /// user["address.country"]      // "US"
  /// user["emails[0]"] = "john@foo.com"
  /// user["address.street"] = nil // removes the key
  /// ```
  ///
  /// Of the values of a path with `[*]` or `**`, reading returns the first, and an assignment changes all existing ones.
  /// Assigning to a missing key makes it, with the dictionaries on the way to it. An assignment that is not possible
  /// changes nothing: to a key of a value that is no dictionary, or to an index after the end of an array. Assigning to
  /// the index at the end appends an element. ``set(_:at:)`` throws an error instead.
  public subscript(path: String) -> DocumentValue? {
    get { value(at: DocumentPath(path)) }
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
      forEachValue(at: path.steps[...]) { value in
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
    forEachValue(at: path.steps[...]) { value in
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

  /// The elements of an array or the values of a dictionary; empty for other values.
  var children: [DocumentValue] {
    switch storage {
    case .array(let values): values
    case .dictionary(let dictionary): dictionary.map(\.value)
    default: []
    }
  }

  /// Calls back with each value at a path.
  ///
  /// - Returns: Whether the closure always returned true; it is not called again after it has returned false.
  @discardableResult
  func forEachValue(at steps: ArraySlice<DocumentPath.Step>, _ body: (DocumentValue) -> Bool) -> Bool {
    guard let step = steps.first else { return body(self) }
    let rest = steps.dropFirst()
    switch step {
    case .key, .index: return child(step)?.forEachValue(at: rest, body) ?? true
    case .each:
      guard case .array(let values) = storage else { return forEachValue(at: rest, body) }
      return values.allSatisfy { $0.forEachValue(at: rest, body) }
    case .anyDepth:
      // Several wildcards in a row mean the same as one, but would find values repeatedly.
      if case .anyDepth? = rest.first { return forEachValue(at: rest, body) }
      guard forEachValue(at: rest, body) else { return false }
      return children.allSatisfy { $0.forEachValue(at: steps, body) }
    }
  }
}
