/// A Codable type whose values can lack keys that it needs, because they were stored before the type had them.
///
/// ```swift
/// struct Person: Codable, DefaultValues {
///   var id = 0
///   var name = ""
///   var isActive = true
///
///   static var defaults: Person { Person() }
/// }
/// ```
///
/// A key that a stored value lacks is decoded from the defaults. A key that is stored as null is null.
public protocol DefaultValues: Codable {
  /// The value whose parts stand for missing ones.
  static var defaults: Self { get }
}
