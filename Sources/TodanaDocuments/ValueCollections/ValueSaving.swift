/// The way in which a value is saved whose id is stored already.
public enum ValueSaving: Sendable {
  /// The new value is merged into the stored one.
  ///
  /// Properties that the new value encodes as nil, or does not encode, keep what is stored. A nested value with a key
  /// `id` is merged if the stored one has the same id. So are the elements of an array that all have one: elements
  /// with new ids are appended, and stored ones with other ids stay. Everything else is replaced.
  case merging
  /// The new value replaces the stored one.
  case replacing
}

/// The values of a save, by what it has changed.
public struct SavedValues<Value: Sendable>: Sendable {
  /// The values whose ids were new.
  public internal(set) var inserted: [Value] = []
  /// The values that have changed what was stored, as they are now.
  public internal(set) var changed: [Value] = []
  /// The values that were stored already.
  public internal(set) var unchanged: [Value] = []
}

/// The rules of ``ValueSaving/merging``.
enum ValueMerge {
  /// Returns a stored value with the changes of a new one.
  static func merge(_ new: DocumentValue, into stored: DocumentValue) -> DocumentValue {
    guard let newEntries = new.fields, var entries = stored.fields else { return new }
    for (key, value) in newEntries where !value.isNull {
      entries[key] = entries[key].map { mergePart(value, into: $0) } ?? value
    }
    return DocumentValue(entries)
  }

  private static func mergePart(_ new: DocumentValue, into stored: DocumentValue) -> DocumentValue {
    if let id = id(of: new), id == self.id(of: stored) { return merge(new, into: stored) }
    if let newElements = new.array, let elements = stored.array { return merge(newElements, into: elements) ?? new }
    return new
  }

  /// Merges arrays whose elements all have ids; returns nil for others.
  private static func merge(_ new: [DocumentValue], into stored: [DocumentValue]) -> DocumentValue? {
    var places: [DocumentValue: Int] = [:]
    for (place, element) in stored.enumerated() {
      guard let id = id(of: element) else { return nil }
      places[id] = place
    }
    var elements = stored
    for element in new {
      guard let id = id(of: element) else { return nil }
      if let place = places[id] {
        elements[place] = merge(element, into: elements[place])
      } else {
        places[id] = elements.count
        elements.append(element)
      }
    }
    return DocumentValue(elements)
  }

  private static func id(of value: DocumentValue) -> DocumentValue? {
    guard let id = value.fields?["id"], !id.isNull else { return Optional.none }
    return id
  }
}
