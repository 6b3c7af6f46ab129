#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The text that describes an object with its stored properties.
enum ObjectDescription {
  /// The maximum number of characters of one value.
  private static let valueLimit = 60
  /// The maximum number of elements of a collection.
  private static let elementLimit = 5

  static func text(of object: StoredObject) -> String {
    var text = name(of: object)
    if object.isFault { return text + " (not loaded)" + state(of: object) }
    let properties = properties(of: object)
    if !properties.isEmpty { text += " (" + properties.joined(separator: ", ") + ")" }
    return text + state(of: object)
  }

  /// Returns the class, and the identity if there is one.
  private static func name(of object: StoredObject) -> String {
    let name = StoredObject.unqualifiedName(of: type(of: object))
    return object.anyID.map { "\(name) \($0)" } ?? name
  }

  private static func state(of object: StoredObject) -> String {
    object.state.pendingDescription.map { " (\($0))" } ?? ""
  }

  /// Returns the stored properties of all classes between `StoredObject` and the object's class, with their values.
  private static func properties(of object: StoredObject) -> [String] {
    var mirrors: [Mirror] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror, current.subjectType != StoredObject.self {
      mirrors.append(current)
      mirror = current.superclassMirror
    }
    return mirrors.reversed().flatMap(\.children).compactMap { child in
      // The objects of an inverse would have to be searched for.
      guard let label = child.label, !(child.value is any InverseProperty) else { return nil }
      if let loaded = child.value as? any LoadedProperty {
        return "\(label.dropFirst()): \(value(loaded.storedValue))"
      }
      return "\(label): \(value(child.value))"
    }
  }

  private static func value(_ value: Any) -> String {
    switch value {
    case let object as StoredObject: return name(of: object)
    case let text as String: return shortened("\"\(text.prefix(valueLimit + 1))\"")
    case let optional as any DescribedContent: return optional.describedContent.map { Self.value($0) } ?? "nil"
    case let data as Data: return data.count == 1 ? "1 byte" : "\(data.count) bytes"
    case let list as any DescribedReferences: return list.referencesDescription
    case let list as any Collection: return elements(of: list)
    default: return shortened(describe(value))
    }
  }

  private static func elements(of list: some Collection) -> String {
    if list.count > elementLimit { return "\(list.count) elements" }
    if list is any AnyDictionary { return shortened("\(list)") }
    return "[" + list.map { value($0) }.joined(separator: ", ") + "]"
  }

  private static func shortened(_ text: String) -> String {
    text.count > valueLimit ? text.prefix(valueLimit) + "…" : text
  }
}

/// A list of references that must not be resolved for a description.
private protocol DescribedReferences { var referencesDescription: String { get } }
extension LazyReferences: DescribedReferences {
  fileprivate var referencesDescription: String { "\(count) references" }
}

/// An optional value, whose content is described without the optional around it.
private protocol DescribedContent { var describedContent: Any? { get } }
extension Optional: DescribedContent { fileprivate var describedContent: Any? { self } }

private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}
