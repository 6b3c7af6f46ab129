#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A number in a text, whose type is determined by the field.
struct NumberLiteral: Equatable {
  let digits: String
  /// Whether the number has neither a decimal point nor an exponent.
  let isWhole: Bool
}

/// Converts a value of any type to the type of a field, if this loses nothing.
///
/// NULL is passed as nil. `position` is the number of the value among several, for the error.
///
/// - Returns: The converted value; nil for NULL if the type has no nil.
func converted<Value>(_ value: Any?, to type: Value.Type, _ position: Int) throws(FieldProblem) -> Value? {
  guard let present = flattened(value) else { return (type as? any OptionalType.Type)?.nilValue as? Value }
  if let converted = convert(present, to: type) { return converted }
  let shown: String
  switch present {
  case let literal as NumberLiteral: shown = literal.digits
  case let text as String: shown = "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
  default: shown = "\("\(present)".prefix(40)), of type \(plainName(of: Swift.type(of: present))),"
  }
  let name = (Value.self as? any FieldValue.Type)?.shownName ?? plainName(of: Value.self)
  throw FieldProblem(message: "\(shown) is not a valid \(name)", place: .value(position))
}

/// Returns the value without the optionals around it.
func flattened(_ value: Any?) -> Any? {
  var value = value
  while let outer = value, let optional = outer as? any OptionalType { value = optional.content }
  return value
}

/// Returns the elements of a list that is an argument of `IN`; nil if the value is not a list.
func elements(of value: Any) -> [Any?]? { (value as? any ListArgument)?.elements }

private func convert<Value>(_ value: Any, to type: Value.Type) -> Value? {
  if let type = type as? any OptionalType.Type {
    // Each level of optionals is converted separately: a cast of nil would give an optional that contains nil.
    guard let optional = type.wrapping(value) else { return nil }
    return optional as? Value
  }
  if let type = type as? any FieldValue.Type { return type.converted(value) as? Value }
  if let value = value as? Value { return value }
  if let type = type as? any RawRepresentable.Type { return caseOf(type, value) as? Value }
  return nil
}

private func caseOf<Enumeration: RawRepresentable>(_ type: Enumeration.Type, _ value: Any) -> Enumeration? {
  convert(value, to: Enumeration.RawValue.self).flatMap(Enumeration.init(rawValue:))
}

/// Returns the name of a type for people: `String?`.
func plainName(of type: Any.Type) -> String {
  if let optional = type as? any OptionalType.Type { return optional.wrappedName + "?" }
  return _typeName(type, qualified: false)
}

protocol OptionalType {
  var content: Any? { get }
  static var nilValue: Self { get }
  static var wrappedName: String { get }
  static func wrapping(_ value: Any) -> Self?
}

extension Optional: OptionalType {
  var content: Any? { self }
  static var nilValue: Self { .none }
  static var wrappedName: String { plainName(of: Wrapped.self) }

  static func wrapping(_ value: Any) -> Self? {
    guard let value = convert(value, to: Wrapped.self) else { return nil }
    return .some(value)
  }
}

private protocol ListArgument { var elements: [Any?] { get } }
extension Array: ListArgument { var elements: [Any?] { map { $0 } } }
extension ArraySlice: ListArgument { var elements: [Any?] { map { $0 } } }
extension ContiguousArray: ListArgument { var elements: [Any?] { map { $0 } } }
extension Set: ListArgument { var elements: [Any?] { map { $0 } } }
