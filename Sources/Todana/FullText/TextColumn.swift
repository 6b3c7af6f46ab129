/// A property whose texts a condition searches.
struct TextColumn: Sendable {
  let path: PropertyPath
  /// The class that has the property.
  let root: AnyObject.Type
  /// The factor of the property's matches in the relevance.
  var weight = 1.0
  /// A closure that reads the texts of an object, whose class the caller has checked.
  let texts: @Sendable (StoredObject) throws(StoreError) -> TextList

  init<Root: StoreIdentifiable, Value: IndexedText>(_ property: Property<Root, Value>) {
    path = property.path
    root = Root.self
    let read = TextList.reading(property)
    // A query tests objects of its own class only.
    texts = { object throws(StoreError) in try read(unsafe unsafeDowncast(object, to: Root.self)) }
  }
}
