import Foundation
import Todana
import TodanaDocuments

/// The fuzzing of documents: of their binary form, of JSON, of paths, and of collections.
///
/// An input begins with a byte that selects one of them: 0 bytes of a document, 1 JSON, 2 a path and a document, 3 the
/// description of a collection, 4 the list of collections.
enum DocumentFuzzing {
  static func run(_ bytes: [UInt8]) {
    let rest = Array(bytes.dropFirst())
    switch (bytes.first ?? 0) % 5 {
    case 0: readBytes(rest)
    case 1: readJSON(rest)
    case 3: readDescription(rest)
    case 4: readList(rest)
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
    return seeds + collectionSeeds
  }

  private static var collectionSeeds: [[UInt8]] {
    let description: DocumentValue = [
      "indexes": [["text": "[a], savedAt DESC", "unique": false], ["text": "[b[*]][c]", "unique": true]],
      "everything": true, "texts": ["title", ["path": "notes[*]", "language": "english", "stopWords": ["the"]]],
      "defaults": ["a": 5], "aliases": ["old": "([age] > 60)"], "metadata": ["x": [1]],
    ]
    var list = DataBuffer()
    list.writeVarUInt(1)
    for text in ["Document", "people", "people"] { list.writeString(text) }
    list.writeBytes([1, 2, 3])
    let header: [UInt8] = [1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 0]
    return [[4] + list.bytes, [3] + header + ((try? EncodedValue(description).bytes) ?? [])]
  }

  /// Reads a description; one that was accepted must be written and read again with the same declarations.
  private static func readDescription(_ bytes: [UInt8]) {
    guard let description = checked({ () throws(DocumentError) in try CollectionDescription(decoding: bytes) }) else {
      return
    }
    // The names and paths of declarations are made of parts of the description.
    guard let indexes = try? Document.collectionIndexes(ofCollection: "c", description: bytes) else {
      fatalError("a description has no declarations")
    }
    guard let written = try? description.bytes() else { return }
    guard let again = try? Document.collectionIndexes(ofCollection: "c", description: written),
      again.indexes.count == indexes.indexes.count, again.textIndexes.count == indexes.textIndexes.count
    else { fatalError("a description that was written has other declarations") }
  }

  /// Reads a list of collections; one that was accepted must be written and read again unchanged.
  private static func readList(_ bytes: [UInt8]) {
    var reader = DataBuffer(reading: bytes, version: CollectionDirectory.version)
    guard let list = try? CollectionDirectory(reading: &reader) else { return }
    var written = DataBuffer()
    list.write(to: &written)
    var copy = DataBuffer(reading: written.bytes, version: CollectionDirectory.version)
    guard let again = try? CollectionDirectory(reading: &copy) else { fatalError("a written list cannot be read") }
    var rewritten = DataBuffer()
    again.write(to: &rewritten)
    if rewritten.bytes != written.bytes { fatalError("a list of collections has changed") }
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
