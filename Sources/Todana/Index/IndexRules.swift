/// The rules for names and properties that hold for indexes and for text indexes.
enum IndexRules {
  /// Returns the reason why an index may not have a name; nil if it may.
  ///
  /// - Parameters:
  ///   - name: The name; nil if none was given, and the name of a property is not known.
  ///   - place: The place of the index in its class, for the message.
  ///   - example: A declaration with a name.
  /// - Returns: The reason.
  static func problem(withName name: String?, of place: String, example: String) -> String? {
    guard let name else {
      return "\(place) has no name, because the name of one of its properties cannot be found out. "
        + "Pass a name: \(example)."
    }
    if name.isEmpty || name.utf8.count > 255 || name.utf8.contains(0) {
      return "The name of \(place) is empty, longer than 255 bytes, or contains a NUL."
    }
    return nil
  }

  /// Returns the reason why a class may not index a property; nil if it may.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - root: The class that has the property.
  ///   - type: The class that declares the index.
  ///   - className: The stored name of that class.
  /// - Returns: The reason, as the end of a sentence about the index.
  static func problem(
    with path: PropertyPath, of root: AnyObject.Type, in type: StoredObject.Type, _ className: String
  ) -> String? {
    if !type.inherits(from: root) { return "is over a property of \(root), which \(className) does not have." }
    guard path.leadsToOtherObjects || path.problem != nil else { return nil }
    return "is over "
      + (path.leadsToOtherObjects ? "other objects, which change independently" : "a computed property")
      + ". Only the object's own stored properties can be indexed."
  }
}
