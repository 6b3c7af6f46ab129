internal import Foundation
internal import TodanaDocuments

/// A reader of the archives of `NSKeyedArchiver`, which makes document values and no objects.
///
/// The classes of an archive are names from an untrusted file. They only select one of the forms below; no class of the
/// process is looked up.
struct KeyedArchive {
  private let list: BinaryPropertyList
  private let objects: [Int]
  private let root: Int
  private var budget = ValueBudget()

  /// Whether the top of a property list is that of an archive.
  static func isArchive(_ list: BinaryPropertyList) throws(LegacyError) -> Bool {
    guard case .dictionary(let entries) = try list.object(list.top) else { return false }
    var budget = ValueBudget()
    return try string("$archiver", in: try fields(entries, list, &budget), list) == "NSKeyedArchiver"
  }

  init(_ list: BinaryPropertyList) throws(LegacyError) {
    self.list = list
    guard case .dictionary(let entries) = try list.object(list.top) else { throw Self.damaged }
    let archive = try Self.fields(entries, list, &budget)
    guard let objectsAt = archive["$objects"], case .array(let objects) = try list.object(objectsAt),
      let topAt = archive["$top"], case .dictionary(let topEntries) = try list.object(topAt)
    else { throw Self.damaged }
    self.objects = objects
    let top = try Self.fields(topEntries, list, &budget)
    guard let rootAt = top["root"] ?? (top.count == 1 ? top.first?.value : nil),
      case .reference(let root) = try list.object(rootAt)
    else { throw Self.damaged }
    self.root = root
  }

  private static var damaged: LegacyError { LegacyError(.damaged, "the keyed archive is damaged") }

  /// Returns the value of the archived object.
  mutating func value() throws(LegacyError) -> DocumentValue { try value(of: root) }

  // MARK: Objects

  /// Returns the value of an object of the archive, by its number there.
  private mutating func value(of reference: Int) throws(LegacyError) -> DocumentValue {
    // The first object stands for nil.
    if reference == 0 { return try counted(.null) }
    guard reference < objects.count else { throw Self.damaged }
    let object = try list.object(objects[reference])
    switch object {
    case .null: return try counted(.null)
    case .bool(let value): return try counted(DocumentValue(value))
    case .integer(let value): return try counted(DocumentValue(value))
    case .real(let value): return try counted(DocumentValue(value))
    case .date(let value): return try counted(DocumentValue(value))
    case .string(let text): return try counted(DocumentValue(text), byteCount: text.utf8.count)
    case .data(let bytes): return try counted(DocumentValue(bytes), byteCount: bytes.count)
    case .reference, .array: throw Self.damaged
    case .dictionary(let entries):
      try budget.enter(reference)
      defer { budget.leave(reference) }
      return try value(ofFields: try Self.fields(entries, list, &budget))
    }
  }

  private mutating func counted(_ value: DocumentValue, byteCount: Int = 0) throws(LegacyError) -> DocumentValue {
    try budget.add(byteCount: byteCount)
    return value
  }

  private mutating func value(ofFields fields: [String: Int]) throws(LegacyError) -> DocumentValue {
    let name = try className(of: fields)
    switch name {
    case "NSDictionary", "NSMutableDictionary": return try dictionary(fields)
    case "NSArray", "NSMutableArray":
      var values: [DocumentValue] = []
      for reference in try references("NS.object", in: fields) { values.append(try value(of: reference)) }
      return try counted(DocumentValue(values))
    case "NSString", "NSMutableString": return try counted(DocumentValue(try text(fields)))
    case "NSDate":
      return try counted(DocumentValue(Date(timeIntervalSinceReferenceDate: try number("NS.time", fields))))
    case "NSData", "NSMutableData":
      var found = try bytes("NS.data", fields)
      if found == nil { found = try bytes("NS.bytes", fields) }
      guard let bytes = found else { throw Self.damaged }
      return try counted(DocumentValue(bytes), byteCount: bytes.count)
    case "NSNull": return try counted(.null)
    case "NSURL": return try counted(DocumentValue(try url(fields)))
    case "NSUUID": return try counted(DocumentValue(try uuid(fields)))
    case "NSNumber":
      if let at = fields["NS.boolval"], case .bool(let value) = try list.object(at) {
        return try counted(DocumentValue(value))
      }
      if let at = fields["NS.intval"], case .integer(let value) = try list.object(at) {
        return try counted(DocumentValue(value))
      }
      return try counted(DocumentValue(try number("NS.dblval", fields)))
    default:
      throw LegacyError(.unsupportedClass, "the archive has an object of the class \(name), which cannot be converted")
    }
  }

  private mutating func className(of fields: [String: Int]) throws(LegacyError) -> String {
    guard let at = fields["$class"], case .reference(let reference) = try list.object(at), reference < objects.count,
      case .dictionary(let entries) = try list.object(objects[reference]),
      let name = try Self.string("$classname", in: try Self.fields(entries, list, &budget), list)
    else { throw Self.damaged }
    return name
  }

  private mutating func dictionary(_ fields: [String: Int]) throws(LegacyError) -> DocumentValue {
    let keys = try references("NS.key", in: fields)
    let values = try references("NS.object", in: fields)
    guard keys.count == values.count else { throw Self.damaged }
    var entries: [(key: String, value: DocumentValue)] = []
    for (key, value) in zip(keys, values) {
      guard let key = try self.value(of: key).string else {
        throw LegacyError(.unsupportedClass, "a dictionary has a key that is no text")
      }
      entries.append((key, try self.value(of: value)))
    }
    return try counted(PropertyListValue.dictionary(entries))
  }

  /// Returns the references of an array, in its form with one array or in the older one with numbered fields.
  private func references(_ name: String, in fields: [String: Int]) throws(LegacyError) -> [Int] {
    var places: [Int] = []
    if let at = fields[name + "s"] {
      guard case .array(let elements) = try list.object(at) else { throw Self.damaged }
      places = elements
    } else {
      while let at = fields["\(name).\(places.count)"] { places.append(at) }
    }
    var references: [Int] = []
    for place in places {
      guard case .reference(let reference) = try list.object(place) else { throw Self.damaged }
      references.append(reference)
    }
    return references
  }

  // MARK: Classes with one value

  private mutating func text(_ fields: [String: Int]) throws(LegacyError) -> String {
    if let text = try Self.string("NS.string", in: fields, list) {
      try budget.add(byteCount: text.utf8.count)
      return text
    }
    guard let bytes = try bytes("NS.bytes", fields) else { throw Self.damaged }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw LegacyError(.invalidText, "a text of the archive is not valid UTF-8")
    }
    try budget.add(byteCount: bytes.count)
    return text
  }

  private mutating func url(_ fields: [String: Int]) throws(LegacyError) -> String {
    guard let at = fields["NS.relative"], case .reference(let reference) = try list.object(at),
      let relative = try value(of: reference).string
    else { throw Self.damaged }
    guard let at = fields["NS.base"], case .reference(let reference) = try list.object(at),
      let base = try value(of: reference).string
    else { return relative }
    return URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative
  }

  private func uuid(_ fields: [String: Int]) throws(LegacyError) -> UUID {
    guard let bytes = try bytes("NS.uuidbytes", fields), let uuid = UUID(ofBytes: Array(bytes)) else {
      throw Self.damaged
    }
    return uuid
  }

  private func number(_ name: String, _ fields: [String: Int]) throws(LegacyError) -> Double {
    guard let at = fields[name] else { throw Self.damaged }
    switch try list.object(at) {
    case .real(let value): return value
    case .integer(let value): return Double(value)
    default: throw Self.damaged
    }
  }

  private func bytes(_ name: String, _ fields: [String: Int]) throws(LegacyError) -> Data? {
    guard let at = fields[name] else { return nil }
    var object = try list.object(at)
    if case .reference(let reference) = object, reference < objects.count {
      object = try list.object(objects[reference])
    }
    guard case .data(let bytes) = object else { throw Self.damaged }
    return bytes
  }

  // MARK: Dictionaries of the list

  private static func fields(
    _ entries: [(key: Int, value: Int)], _ list: BinaryPropertyList, _ budget: inout ValueBudget
  ) throws(LegacyError) -> [String: Int] {
    var fields: [String: Int] = [:]
    for (key, value) in entries {
      guard case .string(let name) = try list.object(key) else { throw damaged }
      try budget.add(byteCount: name.utf8.count)
      fields[name] = value
    }
    return fields
  }

  private static func string(
    _ name: String, in fields: [String: Int], _ list: BinaryPropertyList
  ) throws(LegacyError) -> String? {
    guard let at = fields[name], case .string(let text) = try list.object(at) else { return nil }
    return text
  }
}
