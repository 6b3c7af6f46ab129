/// A property whose texts a condition searches.
struct TextColumn: Sendable {
  let path: PropertyPath
  /// The class that has the property.
  let root: AnyObject.Type
  /// The factor of the property's matches in the relevance.
  var weight = 1.0
  private let source: Source

  /// The place of the texts.
  ///
  /// An offset is read several times as fast as a key path, and has no reference that threads contend for.
  private enum Source: Sendable {
    case text(offset: Int)
    case optionalText(offset: Int)
    case value(@Sendable (StoredObject) throws(StoreError) -> TextList)
  }

  init<Root: StoreIdentifiable, Value: IndexedText>(_ property: Property<Root, Value>) {
    path = property.path
    root = Root.self
    let offset = path.ownOffset
    if let offset, Value.self == String.self {
      source = .text(offset: offset)
    } else if let offset, Value.self == String?.self {
      source = .optionalText(offset: offset)
    } else {
      let read = property.read
      source = .value { object throws(StoreError) in
        .many(Array(try read(unsafe unsafeDowncast(object, to: Root.self)).indexedTexts))
      }
    }
  }

  /// Returns the texts of an object of the class.
  func texts(of object: StoredObject) throws(StoreError) -> TextList {
    // A query tests objects of its own class only, and the type and the offset are those of its metadata.
    switch source {
    case .text(let offset): .one(unsafe object.load(at: offset, as: String.self))
    case .optionalText(let offset): unsafe object.load(at: offset, as: String?.self).map { .one($0) } ?? .none
    case .value(let read): try read(object)
    }
  }
}
