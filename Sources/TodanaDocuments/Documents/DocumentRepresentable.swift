public import Foundation
internal import Todana

/// A type whose values are kept as documents, and come back as themselves.
///
/// ```swift
/// struct Person: Codable, DocumentRepresentable {
///   var name: String
///   var age: Int
/// }
/// try people.insert(Person(name: "Doe", age: 41))
/// let adults = try people.find(Person.self, "[age] >= ?", 18)
/// ```
///
/// A `Codable` type needs only the conformance. A document keeps the name of its type, also if it is changed by a program
/// that does not have the type.
public protocol DocumentRepresentable: DocumentConvertible {
  /// The name under which documents of the type are kept; by default the name of the type without its module.
  static var documentClassName: String { get }

  /// Makes a value of the content of a document.
  ///
  /// - Throws: An error if the content does not belong to a value of the type.
  init(documentValue: DocumentValue) throws

  /// Returns the content of a document for the value, a dictionary.
  ///
  /// - Throws: An error if the value has no such form.
  func makeDocumentValue() throws -> DocumentValue
}

extension DocumentRepresentable {
  public static var documentClassName: String { _typeName(self, qualified: false) }

  /// The content of a document for the value; null if it has none.
  public var documentValue: DocumentValue { (try? makeDocumentValue()) ?? .null }
}

extension DocumentRepresentable where Self: Codable {
  public init(documentValue: DocumentValue) throws { self = try documentValue.decode() }

  public func makeDocumentValue() throws -> DocumentValue { try DocumentValue(encoding: self) }
}

extension Document {
  /// Returns the content as a value of a type; nil if the document was made of another type.
  ///
  /// - Throws: The errors of ``DocumentRepresentable/init(documentValue:)``.
  public func converted<Value: DocumentRepresentable>(to type: Value.Type = Value.self) throws -> Value? {
    guard originalClassName?.utf8.elementsEqual(type.documentClassName.utf8) == true else { return Optional.none }
    return try Value(documentValue: value)
  }
}

extension DocumentCollection {
  /// Inserts a document that is made of a value; the next save writes it.
  ///
  /// - Returns: The document.
  /// - Throws: The errors of ``DocumentRepresentable/makeDocumentValue()`` and of `insert(_:key:)`.
  @discardableResult
  public func insert<Value: DocumentRepresentable>(_ value: Value, key: UUID? = nil) throws -> Document {
    let document = try Document(value.makeDocumentValue(), key: key)
    document.setOriginalClass(Value.documentClassName)
    try insert(document)
    return document
  }

  /// Returns the values whose documents meet a condition, and were made of a type.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - text: The condition; nil for all documents of the type.
  ///   - arguments: A value for each question mark.
  ///   - orderBy: The paths to sort by.
  /// - Returns: The values.
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)`` and of ``DocumentRepresentable/init(documentValue:)``.
  public func find<Value: DocumentRepresentable>(
    _ type: Value.Type, _ text: String? = nil, _ arguments: (any Sendable)?..., orderBy: String? = nil
  ) throws -> [Value] {
    let query = try query(text, arguments: arguments, orderBy: orderBy)
    guard try exists else { return [] }
    let ofType = Document.className.property == type.documentClassName
    return try store.fetch(query.where { _ in ofType }).map { try Value(documentValue: $0.value) }
  }

  /// Inserts a copy of a document, of this or another collection or store, with a new key.
  ///
  /// - Returns: The copy.
  /// - Throws: The errors of `insert(_:)`.
  @discardableResult
  public func insert(copyOf document: Document) throws -> Document {
    try document.loadContent()
    let copy = try Document(document.value)
    copy.setOriginalClass(document.originalClassName)
    try insert(copy)
    return copy
  }
}
