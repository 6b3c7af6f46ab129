internal import Foundation
internal import Synchronization

/// The knowledge whether the objects of a class can refer to other objects, by the types of their properties.
final class ReferenceFreeClasses: Sendable {
  static let shared = ReferenceFreeClasses()

  private let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// Whether the objects of a class may have references: false if all properties are numbers, texts and other plain
  /// values, or collections of these.
  func mayRefer(_ type: StoredObject.Type) -> Bool {
    let key = ObjectIdentifier(type)
    if let found = known.withLock({ $0[key] }) { return found }
    // `type.init()` is code of the program, so the lock is not held.
    let found = Self.hasOtherProperties(Mirror(reflecting: type.init()))
    known.withLock { $0[key] = found }
    return found
  }

  /// The knowledge of the class that was asked for last, which is usually the next one, too.
  struct Recent {
    private var type: StoredObject.Type?
    private var mayRefer = true

    /// Whether the objects of the object's class may have references.
    @inline(__always)
    mutating func mayRefer(_ object: StoredObject) -> Bool {
      if type != Swift.type(of: object) { note(Swift.type(of: object)) }
      return mayRefer
    }

    private mutating func note(_ type: StoredObject.Type) {
      self.type = type
      mayRefer = ReferenceFreeClasses.shared.mayRefer(type)
    }
  }

  private static func hasOtherProperties(_ mirror: Mirror) -> Bool {
    if mirror.subjectType == StoredObject.self { return false }
    if mirror.children.contains(where: { !(type(of: $0.value) is any PlainValue.Type) }) { return true }
    return mirror.superclassMirror.map(hasOtherProperties) ?? false
  }
}

/// A type whose values contain no references to objects.
protocol PlainValue {}

extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Float: PlainValue {}
extension Double: PlainValue {}
extension Bool: PlainValue {}
extension String: PlainValue {}
extension Data: PlainValue {}
extension Date: PlainValue {}
extension UUID: PlainValue {}
extension Decimal: PlainValue {}
extension URL: PlainValue {}
extension Optional: PlainValue where Wrapped: PlainValue {}
extension Array: PlainValue where Element: PlainValue {}
extension ContiguousArray: PlainValue where Element: PlainValue {}
extension Set: PlainValue where Element: PlainValue {}
extension Dictionary: PlainValue where Key: PlainValue, Value: PlainValue {}
