internal import Todana

extension DocumentValue {
  /// Sets the values at a path, or removes them if the new value is nil.
  ///
  /// A missing key is made, with the dictionaries on the way to it. The index at the end of an array appends an element.
  /// A path with `[*]` or `**` changes all existing values except this one itself. Removing a value that does not exist changes nothing.
  ///
  /// - Throws: ``DocumentError/Code/wrongKind`` if a value on the way is no dictionary or no array,
  ///   ``DocumentError/Code/indexOutOfRange``, ``DocumentError/Code/tooDeep`` for a path of more than 100 steps; nothing
  ///   has changed then.
  public mutating func set(_ value: DocumentValue?, at path: DocumentPath) throws(DocumentError) {
    let isRemoval = value == nil
    try change(at: path, makesWay: !isRemoval) { $0 = value }
  }

  /// Adds an element to the end of the array at a path; a missing array is made.
  ///
  /// - Throws: ``DocumentError/Code/wrongKind`` if the value at the path is no array; the errors of ``set(_:at:)``.
  public mutating func append(_ element: DocumentValue, at path: DocumentPath) throws(DocumentError) {
    try change(at: path, makesWay: true) { value throws(DocumentError) in
      guard let old = value else {
        value = DocumentValue([element])
        return
      }
      guard case .array(var elements) = old.storage else {
        throw DocumentError(.wrongKind, "the value at \"\(path)\" is no array, but of the kind \(old.kind)")
      }
      value = nil
      elements.append(element)
      value = DocumentValue(elements)
    }
  }

  /// Adds a number to the number at a path; a missing number counts as 0.
  ///
  /// Integers are added exactly. If one of the numbers is a floating-point number, the sum is one.
  ///
  /// - Throws: ``DocumentError/Code/wrongKind`` if one of the values is no number,
  ///   ``DocumentError/Code/numberOutOfRange`` if the sum is no 64-bit integer; the errors of ``set(_:at:)``.
  public mutating func increment(at path: DocumentPath, by amount: DocumentValue = 1) throws(DocumentError) {
    try change(at: path, makesWay: true) { value throws(DocumentError) in
      value = try DocumentValue.sum(value ?? 0, amount, path)
    }
  }

  private static func sum(
    _ lhs: DocumentValue, _ rhs: DocumentValue, _ path: DocumentPath
  ) throws(DocumentError) -> DocumentValue {
    switch (lhs.storage, rhs.storage) {
    case (.integer(let lhs), .integer(let rhs)):
      let (sum, isTooLarge) = lhs.addingReportingOverflow(rhs)
      if isTooLarge {
        throw DocumentError(.numberOutOfRange, "\(lhs) + \(rhs) at \"\(path)\" is beyond the range of 64-bit integers")
      }
      return DocumentValue(sum)
    case (.integer(let lhs), .double(let rhs)): return DocumentValue(Double(lhs) + rhs)
    case (.double(let lhs), .integer(let rhs)): return DocumentValue(lhs + Double(rhs))
    case (.double(let lhs), .double(let rhs)): return DocumentValue(lhs + rhs)
    default:
      let other = lhs.kind == .number ? rhs : lhs
      throw DocumentError(.wrongKind, "numbers are added at \"\(path)\", but one is of the kind \(other.kind)")
    }
  }

  /// Adds the entries of a dictionary to this dictionary; an entry of the same key is replaced.
  ///
  /// - Parameters:
  ///   - other: The entries.
  ///   - isDeep: Whether dictionaries under one key are merged as well, at every depth. Otherwise they are replaced.
  /// - Throws: ``DocumentError/Code/wrongKind`` if one of the values is no dictionary.
  public mutating func merge(_ other: DocumentValue, deeply isDeep: Bool = false) throws(DocumentError) {
    guard case .dictionary(var entries) = storage, case .dictionary(let added) = other.storage else {
      let wrong = kind == .dictionary ? other : self
      throw DocumentError(.wrongKind, "dictionaries are merged, but one value is of the kind \(wrong.kind)")
    }
    storage = .null
    for (key, value) in added {
      if isDeep, value.kind == .dictionary, let position = entries.position(of: key),
        entries.value(at: position).kind == .dictionary
      {
        try entries.changeValue(at: position) { old throws(DocumentError) in try old.merge(value, deeply: true) }
      } else {
        entries[key] = value
      }
    }
    storage = .dictionary(entries)
  }

  // MARK: Values in place

  /// Changes the values at a path in place: existing ones, or a missing one if the path leads to one value.
  ///
  /// `makesWay` tells whether missing dictionaries on the way are made. Nothing has changed if an error is thrown.
  private mutating func change(
    at path: DocumentPath, makesWay: Bool, _ body: (inout DocumentValue?) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    if path.isSingle {
      if makesWay, path.steps.count > BinaryForm.depthLimit { throw BinaryForm.tooDeep }
      var root: DocumentValue? = self
      storage = .null
      let old = root
      do throws(DocumentError) {
        try Self.change(&root, path.steps[...], path, makesWay, body)
      } catch {
        self = old ?? .null
        throw error
      }
      self = root ?? .null
    } else {
      var copy = self
      var positions = PathPositions(path.steps[...])
      positions.enter(isArray: kind == .array)
      try copy.changeAll(positions, body)
      self = copy
    }
  }

  private static func change(
    _ value: inout DocumentValue?, _ steps: ArraySlice<DocumentPath.Step>, _ path: DocumentPath, _ makesWay: Bool,
    _ body: (inout DocumentValue?) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard let step = steps.first else { return try body(&value) }
    guard value != nil || makesWay else { return }
    switch step {
    case .key(let key):
      var entries: DocumentDictionary
      switch value?.storage {
      case .dictionary(let found)?: entries = found
      case nil: entries = DocumentDictionary()
      default:
        if !makesWay { return }
        throw DocumentError(
          .wrongKind,
          "the key \"\(key)\" of the path \"\(path)\" needs a dictionary, but there is a value of the kind "
            + "\(value?.kind ?? .null)")
      }
      value = nil
      try change(&entries[key], steps.dropFirst(), path, makesWay, body)
      value = DocumentValue(entries)
    case .index(let index):
      guard case .array(var elements)? = value?.storage else {
        if !makesWay { return }
        throw DocumentError(.wrongKind, "an index of the path \"\(path)\" needs an array, but there is none")
      }
      guard index >= 0, index <= elements.count, index < elements.count || makesWay else {
        if !makesWay { return }
        throw DocumentError(
          .indexOutOfRange,
          "the index \(index) of the path \"\(path)\" is beyond the end of an array of \(elements.count)")
      }
      value = nil
      var element: DocumentValue?
      if index < elements.count { element = elements[index] }
      try change(&element, steps.dropFirst(), path, makesWay, body)
      if let element {
        if index < elements.count { elements[index] = element } else { elements.append(element) }
      } else if index < elements.count {
        elements.remove(at: index)
      }
      value = DocumentValue(elements)
    case .each, .anyDepth: return
    }
  }

  /// Changes all existing values inside at a path with wildcards, the innermost first, and each once.
  private mutating func changeAll(
    _ positions: PathPositions, _ body: (inout DocumentValue?) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    func change(_ value: DocumentValue, _ next: PathPositions) throws(DocumentError) -> DocumentValue? {
      if next.isEmpty { return value }
      var next = next
      next.enter(isArray: value.kind == .array)
      var changed = value
      try changed.changeAll(next, body)
      guard next.isComplete else { return changed }
      var result: DocumentValue? = changed
      try body(&result)
      return result
    }
    // A value that becomes nil is removed.
    switch storage {
    case .array(let elements):
      var kept: [DocumentValue] = []
      for (index, element) in elements.enumerated() {
        if let element = try change(element, positions.element(at: index)) { kept.append(element) }
      }
      self = DocumentValue(kept)
    case .dictionary(let entries):
      var kept = DocumentDictionary()
      for (key, value) in entries {
        if let value = try change(value, positions.entry { String.isEqual(key, $0) }) { kept[key] = value }
      }
      self = DocumentValue(kept)
    default: return
    }
  }
}
