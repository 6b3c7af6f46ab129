internal import Todana

/// The condition that a document may have a value at any depth under a name, by which the index of everything finds
/// candidates.
struct NamedScalarCondition: ValueCondition {
  private let name: String
  private let comparison: ValueComparison
  private let value: DocumentValue

  /// Makes the condition for a comparison at a path.
  ///
  /// Returns nil for other paths than `**.key` and `**.key[*]`, and if the index does not help.
  init?(_ path: DocumentPath, _ comparison: ValueComparison, _ value: DocumentValue) {
    var steps = path.steps
    if case .each? = steps.last { steps.removeLast() }
    guard steps.count == 2, steps[0].isAnyDepth, case .key(let name) = steps[1], value.kind != .null,
      value.kind != .array, value.kind != .dictionary, comparison == .equal || value.kind != .bool
    else { return nil }
    self.name = name
    self.comparison = comparison
    self.value = value
  }

  func isMet(by scalar: NamedScalar) -> Bool {
    guard let other = scalar.name else { return true }
    return other.utf8.elementsEqual(name.utf8) && comparison.holds(scalar.value, value)
  }

  var keyRanges: KeyRanges? {
    let prefix = KeyRanges.bytes { key in
      key.append(NamedScalar.Place.scalar)
      name.writeKey(to: &key)
    }
    return comparison.keyRanges(value, after: prefix)?.joined(with: NamedScalar.Place.overfullRange).inexact
  }

  var operand: [UInt8] { Array(name.utf8) + [0] + ComparedValue(comparison, value).operand }
  var description: String { "\(comparison.rawValue) \(value) under the name \"\(name)\"" }
}

/// The condition that a document may have a value anywhere, by which the index of everything finds candidates.
struct BareScalarCondition: ValueCondition {
  private let value: DocumentValue

  /// Makes the condition; nil for an array or a dictionary, for which the index does not help.
  init?(_ value: DocumentValue) {
    guard value.kind != .array, value.kind != .dictionary else { return nil }
    self.value = value
  }

  func isMet(by scalar: BareScalar) -> Bool { scalar.value.map { $0 == value } ?? true }

  var keyRanges: KeyRanges? {
    let prefix = [NamedScalar.Place.scalar]
    return KeyRanges(after: prefix, from: value, to: value).joined(with: NamedScalar.Place.overfullRange).inexact
  }

  var operand: [UInt8] { ComparedValue(.equal, value).operand }
  var description: String { "is \(value)" }
}

extension NamedScalar.Place {
  /// The keys of documents with too many values.
  fileprivate static var overfullRange: KeyRanges {
    KeyRanges(beginningWith: { $0.append(overfull) }, isExact: false)
  }
}
