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
      // The list keeps the references until the object was released. Swift releases those that refer to nothing.
      writer.appendReferences(of: object, to: &objects, skippingLeaves: true)
    }
  }

  /// Calls a closure that replaces the content of objects, and then releases what the former contents referred to.
  @discardableResult
  static func releasingReferences<Result, Failure: Error>(
    of objects: some Sequence<StoredObject>, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var references: [StoredObject] = []
    var writer = ReferenceFinder()
    for object in objects { writer.appendReferences(of: object, to: &references, skippingLeaves: false) }
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
  private var classes = ReferenceFreeClasses.Recent()

  mutating func appendReferences(
    of object: StoredObject, to objects: inout [StoredObject], skippingLeaves skipsLeaves: Bool
  ) {
    if classes.mayRefer(object) { copies.appendReferences(of: object, to: &objects, skippingLeaves: skipsLeaves) }
  }
}
