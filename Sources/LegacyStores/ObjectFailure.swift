/// An object that cannot be read, which hides no other one.
package struct ObjectFailure: Error, Sendable, CustomStringConvertible {
  /// The object for messages: its table or class with its key or row.
  package let place: String
  package let error: any Error

  package init(_ place: String, _ error: any Error) {
    self.place = place
    self.error = error
  }

  package var description: String { "\(place): \(error)" }
}
