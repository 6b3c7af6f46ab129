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

extension DocumentElement: CustomStringConvertible {
  var description: String { value.description }
}

// The properties of documents by which they are found, sorted and indexed.
extension Document {
  /// The value at a path to one value; nil for null and for a missing value, unless there is a default.
  static func property(
    at path: DocumentPath, default defaultValue: DocumentValue?
  ) -> DerivedProperty<Document, DocumentValue?> {
    DerivedProperty(name(path, defaultValue)) { $0.comparedValue(at: path, defaultValue) }
  }

  /// The text at a path; nil for a missing value and for other kinds.
  static func text(at path: DocumentPath, default defaultValue: DocumentValue?) -> DerivedProperty<Document, String?> {
    DerivedProperty("text of " + name(path, defaultValue)) { $0.comparedValue(at: path, defaultValue)?.string }
  }

  /// The texts at a path with `[*]` or `**`.
  static func texts(at path: DocumentPath) -> DerivedProperty<Document, [String]> {
    DerivedProperty("texts of " + path.description) { $0.values(at: path).compactMap(\.string) }
  }

  /// Returns a name that tells the default, so that an index with another default is built again.
  private static func name(_ path: DocumentPath, _ defaultValue: DocumentValue?) -> String {
    path.description + (defaultValue.map { " or \($0)" } ?? "")
  }

  /// The values at a path with `[*]` or `**`.
  static func elements(at path: DocumentPath) -> DerivedProperty<Document, [DocumentElement]> {
    DerivedProperty("each of " + path.description) { $0.elements(at: path) }
  }

  /// The key, if it does not follow from the row.
  static let givenKey = DerivedProperty<Document, [UUID]>("given key") { $0.storedKey.map { [$0] } ?? [] }

  /// The time of the last save.
  static let savingTime = DerivedProperty<Document, Date?>("saved at") { $0.savedAt }

  /// The name of the class whose object the document was made of.
  static let className = DerivedProperty<Document, String?>("class") { $0.originalClassName }

  /// Returns the value at a path for comparisons, in which a missing value and null are the same.
  private func comparedValue(at path: DocumentPath, _ defaultValue: DocumentValue?) -> DocumentValue? {
    guard let value = self[path] ?? defaultValue, !value.isNull else { return Optional.none }
    return value
  }

  private func elements(at path: DocumentPath) -> [DocumentElement] {
    guard case .each? = path.steps.last else {
      return values(at: path).map { DocumentElement(value: $0, isInArray: false) }
    }
    return values(at: DocumentPath(steps: path.steps.dropLast())).flatMap(\.elements)
  }
}

extension DocumentValue {
  /// The values to which `[*]` leads: the elements of an array, or the value itself if it is none.
  var elements: [DocumentElement] {
    guard let array else { return [DocumentElement(value: self, isInArray: false)] }
    return array.map { DocumentElement(value: $0, isInArray: true) }
  }
}
