/// A copy of one object's content (``ContentCopies``), which can be given to any object of the class.
struct ContentSnapshot {
  private let copies = ContentCopies()
  /// Nil if the content could not be written; nothing is given back then.
  private let copy: ContentCopies.Copy?

  init(of object: StoredObject) { copy = copies.take(of: object) }

  /// Whether the content has a reference to the object itself.
  var refersToItsObject: Bool { copy?.refersToItsObject ?? false }

  /// Gives an object of the same class this content.
  func restore(_ object: StoredObject) {
    if let copy { copies.restore(copy, to: object) }
  }
}

extension ClassTable {
  /// Takes the object's content away: it shows defaults, and refers to nothing.
  func clearContent(of object: StoredObject) {
    let blank = blank ?? ContentSnapshot(of: type.init())
    self.blank = blank
    blank.restore(object)
  }
}
