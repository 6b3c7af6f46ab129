internal import Foundation
internal import Todana

/// A value at a path with `[*]` or `**`: an element of an array, or a value of its own.
struct DocumentElement: IndexedValue, Sendable {
  let value: DocumentValue
  /// Whether the last step of the path is `[*]`, and the value is an element of an array there.
  let isInArray: Bool

  static var indexedTypeName: String { "DocumentElement 1" }

  /// The first byte of keys, before the key of the value.
  enum Place {
    static let inArray: UInt8 = 1
    static let own: UInt8 = 2
    static let all = [inArray, own]
  }

  func writeKey(to key: inout KeyWriter) {
    key.append(isInArray ? Place.inArray : Place.own)
    value.writeKey(to: &key)
  }
}

// The properties of documents by which they are found, sorted and indexed.
extension Document {
  /// The value at a path to one value; nil for a missing value and for null.
  static func property(at path: DocumentPath) -> DerivedProperty<Document, DocumentValue?> {
    DerivedProperty(path.description) { $0.comparedValue(at: path) }
  }

  /// The text at a path; nil for a missing value and for other kinds.
  static func text(at path: DocumentPath) -> DerivedProperty<Document, String?> {
    DerivedProperty("text of " + path.description) { $0.comparedValue(at: path)?.string }
  }

  /// The values at a path with `[*]` or `**`.
  static func elements(at path: DocumentPath) -> DerivedProperty<Document, [DocumentElement]> {
    DerivedProperty("each of " + path.description) { $0.elements(at: path) }
  }

  /// The key, if it does not follow from the row.
  static let givenKey = DerivedProperty<Document, [UUID]>("given key") { $0.storedKey.map { [$0] } ?? [] }

  /// Returns the value at a path for comparisons, in which a missing value and null are the same.
  private func comparedValue(at path: DocumentPath) -> DocumentValue? {
    guard let value = self[path], !value.isNull else { return Optional.none }
    return value
  }

  private func elements(at path: DocumentPath) -> [DocumentElement] {
    guard case .each? = path.steps.last else {
      return values(at: path).map { DocumentElement(value: $0, isInArray: false) }
    }
    return values(at: DocumentPath(steps: path.steps.dropLast())).flatMap { value -> [DocumentElement] in
      guard let elements = value.array else { return [DocumentElement(value: value, isInArray: false)] }
      return elements.map { DocumentElement(value: $0, isInArray: true) }
    }
  }
}
