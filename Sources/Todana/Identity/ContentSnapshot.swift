/// A copy of one object's content (``ContentCopies``), which can be restored to any object of the class.
struct ContentSnapshot {
  private let copies = ContentCopies()
  /// The copy; nil if the content could not be written, and then nothing is restored.
  private let copy: ContentCopies.Copy?

  init(of object: StoredObject) { copy = copies.take(of: object) }

  /// Whether the content contains a reference to the object itself.
  var refersToItsObject: Bool { copy?.refersToItsObject ?? false }

  /// Restores the content to an object of the same class.
  func restore(_ object: StoredObject) {
    if let copy { copies.restore(copy, to: object) }
  }
}

extension ClassTable {
  /// Resets the object's content to defaults, so that it refers to no other object.
  func clearContent(of object: StoredObject) {
    let blank = blank ?? ContentSnapshot(of: type.init())
    self.blank = blank
    blank.restore(object)
  }
}
