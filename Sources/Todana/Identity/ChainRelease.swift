/// The release of objects one after another, where Swift would release a long chain of references recursively, and
/// overflow the stack.
///
/// An object's references are found by writing its content. References that `writeContent` does not write are released
/// by Swift.
enum ChainRelease {
  /// Releases objects, and the objects that only they refer to.
  ///
  /// - Complexity: O(*n*) in the objects that are freed, and in the bytes of their contents. Objects that cannot refer
  ///   to others are released without writing their contents.
  static func release(_ objects: inout [StoredObject]) {
    var writer = ReferenceFinder()
    while var object = objects.popLast() {
      guard isKnownUniquelyReferenced(&object), !object.isFault else { continue }
      // The list keeps the references until the object was released.
      writer.appendReferences(of: object, to: &objects)
    }
  }

  /// Calls a closure that replaces the content of objects, and then releases what the former contents referred to.
  @discardableResult
  static func releasingReferences<Result, Failure: Error>(
    of objects: some Sequence<StoredObject>, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var references: [StoredObject] = []
    var writer = ReferenceFinder()
    for object in objects { writer.appendReferences(of: object, to: &references) }
    defer { release(&references) }
    return try body()
  }
}

extension Store {
  /// Releases objects, and the objects that only they refer to, one after another.
  func releaseGradually(_ objects: inout [StoredObject]) { ChainRelease.release(&objects) }
}

/// Finds the objects that an object's content refers to.
private struct ReferenceFinder {
  private let copies = ContentCopies()
  /// The class of the last object, and whether its objects may refer to others.
  private var lastType: StoredObject.Type?
  private var mayRefer = true

  mutating func appendReferences(of object: StoredObject, to objects: inout [StoredObject]) {
    let type = type(of: object)
    if lastType != type {
      lastType = type
      mayRefer = ReferenceFreeClasses.shared.mayRefer(type)
    }
    if mayRefer { copies.appendReferences(of: object, to: &objects) }
  }
}
