import Foundation
import TodanaDocuments

/// The fuzzing of documents: of their binary form, of JSON, and of paths.
///
/// An input begins with a byte that selects one of them: 0 bytes of a document, 1 JSON, 2 a path and a document.
enum DocumentFuzzing {
  static func run(_ bytes: [UInt8]) {
    let rest = Array(bytes.dropFirst())
    switch (bytes.first ?? 0) % 3 {
    case 0: readBytes(rest)
    case 1: readJSON(rest)
    default:
      let path = rest.prefix { $0 != 0 }
      read(DocumentPath(String(decoding: path, as: UTF8.self)), of: Array(rest.dropFirst(path.count + 1)))
    }
  }

  static var seeds: [[UInt8]] {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let samples: [DocumentValue] = [
      nil, true, 63, 64, -1, 1e300, "text", ["a": [1, 2, ["b": "c"]], "d": nil],
      [.init(Date(timeIntervalSinceReferenceDate: 0.5)), .init(id), .init(Data([1, 2])), 9_007_199_254_740_993],
    ]
    var seeds: [[UInt8]] = []
    for sample in samples {
      guard let encoded = try? EncodedValue(sample), let json = try? sample.json() else { continue }
      seeds.append([0] + encoded.bytes)
      seeds.append([1] + json.utf8)
      for path in ["a", "a[2].b", "**.b", "a[*]", "a\\.b.", "**"] {
        seeds.append([2] + path.utf8 + [0] + encoded.bytes)
      }
    }
    return seeds
  }

  /// Decodes bytes; a value that was accepted must be written and read again unchanged.
  private static func readBytes(_ bytes: [UInt8]) {
    guard let encoded = checked({ () throws(DocumentError) in try EncodedValue(checking: bytes) }),
      let value = checked({ () throws(DocumentError) in try encoded.value() })
    else { return }
    guard let again = try? EncodedValue(value), let copy = try? again.value() else {
      fatalError("a value that was read cannot be written")
    }
    if copy != value || copy.hashValue != value.hashValue { fatalError("a value has changed") }
    guard let json = try? value.json(), let parsed = try? DocumentValue(json: json) else {
      fatalError("a value has no JSON")
    }
    if parsed != value { fatalError("JSON has changed a value: \(json)") }
  }

  private static func readJSON(_ bytes: [UInt8]) {
    for form in [JSONForm.extended, .plain] {
      guard let value = checked({ () throws(DocumentError) in try DocumentValue(json: Data(bytes), form) }) else {
        continue
      }
      guard let encoded = try? EncodedValue(value), (try? encoded.value()) == value else {
        fatalError("a value of JSON has no binary form")
      }
    }
  }

  /// Reads the values at a path from the bytes and from the decoded value, which must agree.
  private static func read(_ path: DocumentPath, of bytes: [UInt8]) {
    guard DocumentPath(path.description) == path else { fatalError("the text of a path is another path") }
    guard let encoded = try? EncodedValue(checking: bytes), let value = try? encoded.value() else { return }
    guard let found = try? encoded.values(at: path), found == value.values(at: path) else {
      fatalError("the values at \(path) differ")
    }
    var changed = value
    guard (try? changed.set(1, at: path)) != nil, changed.value(at: path) != nil || found.isEmpty else { return }
    if changed.values(at: path).contains(where: { $0 != 1 }), path.isSingle {
      fatalError("the value at \(path) was not set")
    }
  }

  /// Checks that a failure has a message.
  private static func checked<Value>(_ body: () throws(DocumentError) -> Value) -> Value? {
    do throws(DocumentError) {
      return try body()
    } catch {
      if error.message.isEmpty { fatalError("an error has no message") }
      return nil
    }
  }
}
