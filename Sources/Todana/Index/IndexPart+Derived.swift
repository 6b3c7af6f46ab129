// Parts of an index by properties that code derives from the content of objects.
extension IndexPartSource where Self == IndexPart {
  /// Returns a part that orders objects from the lowest to the highest value.
  public static func ascending<Root: StoredObject, Value: IndexedValue>(
    _ property: DerivedProperty<Root, Value>
  ) -> IndexPart {
    IndexPart(property, isDescending: false)
  }

  /// Returns a part that orders objects from the highest to the lowest value; nil is last.
  public static func descending<Root: StoredObject, Value: IndexedValue>(
    _ property: DerivedProperty<Root, Value>
  ) -> IndexPart {
    IndexPart(property, isDescending: true)
  }

  /// Returns a part that ignores case and accents, as ``Property/folded`` does.
  public static func folded<Root: StoredObject, Value: OptionalText>(
    _ property: DerivedProperty<Root, Value>
  ) -> IndexPart {
    let read = property.read
    return IndexPart(
      path: property.path.folded, typeName: "folded String \(TextFolding.version)", root: Root.self,
      isNil: { read(unsafe unsafeDowncast($0, to: Root.self)).isAbsent },
      describe: { Todana.describe(read(unsafe unsafeDowncast($0, to: Root.self))) },
      write: .value { object, key in
        // The class that declares the index was checked to be a Root.
        let text = read(unsafe unsafeDowncast(object, to: Root.self)).optionalText
        text.map { FoldedText($0) }.writeKey(to: &key)
      })
  }

  /// Returns a part with an entry for each element of a collection; an object with an empty collection has no entry.
  public static func each<Root: StoredObject, Elements: Collection & SendableMetatype>(
    _ property: DerivedProperty<Root, Elements>
  ) -> IndexPart where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    let read = property.read
    return IndexPart(
      path: property.path.each, typeName: "each " + Elements.Element.indexedTypeName, root: Root.self,
      isNil: { _ in false },
      describe: { object in
        let elements = read(unsafe unsafeDowncast(object, to: Root.self))
        return "[" + elements.map { Todana.describe($0) }.joined(separator: ", ") + "]"
      },
      write: .elements { object, key, finish in
        // The class that declares the index was checked to be a Root.
        for element in read(unsafe unsafeDowncast(object, to: Root.self)) {
          element.writeKey(to: &key)
          finish(&key)
        }
      })
  }
}

extension IndexPart {
  fileprivate init<Root: StoredObject, Value: IndexedValue>(
    _ property: DerivedProperty<Root, Value>, isDescending: Bool
  ) {
    let read = property.read
    let writeKey = property.writeKey ?? { read($0).writeKey(to: &$1) }
    self.init(
      path: property.path, typeName: Value.indexedTypeName, isDescending: isDescending, root: Root.self,
      isNil: { object in
        switch read(unsafe unsafeDowncast(object, to: Root.self)) as Any {
        case Optional<Any>.none: true
        default: false
        }
      },
      describe: { Todana.describe(read(unsafe unsafeDowncast($0, to: Root.self))) },
      write: .value { object, key in
        let start = key.arena.count
        // The class that declares the index was checked to be a Root.
        writeKey(unsafe unsafeDowncast(object, to: Root.self), &key)
        if isDescending { key.invert(from: start) }
      })
  }
}
