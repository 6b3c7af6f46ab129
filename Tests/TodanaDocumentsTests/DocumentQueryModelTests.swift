import Foundation
import TestSupport
import Testing
import TodanaDocuments

@testable import Todana

/// Random queries over random documents, with and without indexes and pending changes, compared with an evaluation of
/// each document in memory.
@Suite struct DocumentQueryModelTests {
  indirect enum Condition {
    case compared(String, DocumentPath, DocumentValue)
    case contains(DocumentPath, DocumentValue)
    case isBetween(DocumentPath, DocumentValue, DocumentValue)
    case isIn(DocumentPath, [DocumentValue])
    case exists(DocumentPath)
    case isNull(DocumentPath)
    case text(String, DocumentPath, String)
    case not(Condition)
    case both(Condition, Condition)
    case either(Condition, Condition)

    /// Returns the text of the condition, and appends its arguments.
    func text(_ arguments: inout [(any Sendable)?]) -> String {
      switch self {
      case .compared(let operation, let path, let value):
        arguments.append(value)
        return "[\(path)] \(operation) ?"
      case .contains(let path, let value):
        arguments.append(value)
        return "[\(path)] CONTAINS ?"
      case .isBetween(let path, let lower, let upper):
        arguments += [lower, upper]
        return "[\(path)] BETWEEN ? AND ?"
      case .isIn(let path, let values):
        arguments.append(values)
        return "[\(path)] IN ?"
      case .exists(let path): return "[\(path)] EXISTS"
      case .isNull(let path): return "[\(path)] IS NULL"
      case .text(let operation, let path, let part):
        arguments.append(part)
        return "[\(path)] \(operation) ?"
      case .not(let condition): return "NOT (\(condition.text(&arguments)))"
      case .both(let lhs, let rhs): return "(\(lhs.text(&arguments)) AND \(rhs.text(&arguments)))"
      case .either(let lhs, let rhs): return "(\(lhs.text(&arguments)) OR \(rhs.text(&arguments)))"
      }
    }

    func holds(for document: DocumentValue) -> Bool {
      /// The values to compare: a path to one value has exactly one, null if it is missing.
      func values(_ path: DocumentPath) -> [DocumentValue] {
        path.isSingle ? [document.value(at: path) ?? .null] : document.values(at: path)
      }
      switch self {
      case .compared("!=", let path, let value): return !Condition.compared("=", path, value).holds(for: document)
      case .compared(let operation, let path, let value):
        return values(path).contains { other in
          guard other.kind == value.kind else { return false }
          let (isLess, isEqual) = (DocumentValue.precedes(other, value), other == value)
          switch operation {
          case "<": return isLess
          case "<=": return isLess || isEqual
          case ">": return !isLess && !isEqual
          case ">=": return !isLess
          default: return isEqual
          }
        }
      case .contains(let path, let part):
        return document.values(at: path).contains { value in
          if let elements = value.array { return elements.contains(part) }
          guard let text = value.string, let part = part.string else { return false }
          return part.isEmpty || text.utf8.count >= part.utf8.count && Data(text.utf8).range(of: Data(part.utf8)) != nil
        }
      case .isBetween(let path, let lower, let upper):
        return values(path).contains { value in
          value.kind == lower.kind && value.kind == upper.kind && !DocumentValue.precedes(value, lower)
            && !DocumentValue.precedes(upper, value)
        }
      case .isIn(let path, let list): return values(path).contains { list.contains($0) }
      case .exists(let path): return !document.values(at: path).isEmpty
      case .isNull(let path): return values(path).contains { $0.isNull }
      case .text(let operation, let path, let part):
        return values(path).compactMap(\.string).contains { text in
          switch operation {
          case "BEGINSWITH": return text.utf8.starts(with: part.utf8)
          case "ENDSWITH": return text.utf8.reversed().starts(with: part.utf8.reversed())
          case "=[i]": return TextFolding.foldCase(text) == TextFolding.foldCase(part)
          default: return TextFolding.foldCase(text).starts(with: TextFolding.foldCase(part))
          }
        }
      case .not(let condition): return !condition.holds(for: document)
      case .both(let lhs, let rhs): return lhs.holds(for: document) && rhs.holds(for: document)
      case .either(let lhs, let rhs): return lhs.holds(for: document) || rhs.holds(for: document)
      }
    }
  }

  struct Random {
    var values: RandomValues

    static let paths = ["a", "b", "c", "a.b", "b.a", "a[0]", "name"]
    static let manyPaths = ["a[*]", "b[*]", "c[*].a", "**.b", "**", "a[*].b", "**.name[*]"]

    mutating func path() -> DocumentPath {
      DocumentPath(values.number(below: 3) == 0 ? values.pick(Self.manyPaths) : values.pick(Self.paths))
    }

    /// A value that documents are likely to contain.
    mutating func operand(of documents: [DocumentValue], at path: DocumentPath) -> DocumentValue {
      if values.number(below: 3) > 0 {
        let found = documents.flatMap { $0.values(at: path) }
        if !found.isEmpty { return values.pick(found) }
      }
      return values.value(depth: 1)
    }

    mutating func document() -> DocumentValue {
      var entries = DocumentDictionary()
      for key in ["a", "b", "c", "name"] where values.number(below: 4) > 0 {
        entries[key] = values.number(below: 2) == 0 ? values.value(depth: 2) : values.scalar()
      }
      return DocumentValue(entries)
    }

    mutating func condition(of documents: [DocumentValue], depth: Int = 2) -> Condition {
      let path = path()
      switch values.number(below: depth > 0 ? 12 : 9) {
      case 0...3:
        let operation = values.pick(["=", "!=", "<", "<=", ">", ">="])
        return .compared(operation, path, operand(of: documents, at: path))
      case 4: return .contains(path, operand(of: documents, at: DocumentPath("\(path)[*]")))
      case 5: return .isIn(path, (0..<values.number(below: 4)).map { _ in operand(of: documents, at: path) })
      case 6: return values.number(below: 2) == 0 ? .exists(path) : .isNull(path)
      case 7:
        let text = operand(of: documents, at: path).string ?? values.pick(RandomValues.strings)
        let part = values.number(below: 2) == 0 ? text : String(text.unicodeScalars.prefix(1))
        return .text(values.pick(["BEGINSWITH", "ENDSWITH", "=[i]", "BEGINSWITH[i]"]), path, part)
      case 8: return .isBetween(path, operand(of: documents, at: path), operand(of: documents, at: path))
      case 9: return .not(condition(of: documents, depth: depth - 1))
      case 10: return .both(condition(of: documents, depth: depth - 1), condition(of: documents, depth: depth - 1))
      default: return .either(condition(of: documents, depth: depth - 1), condition(of: documents, depth: depth - 1))
      }
    }
  }

  @Test(arguments: RandomSeeds.seeds([1, 2, 3], new: 3, long: 400))
  func `queries find the same documents as an evaluation in memory`(seed: UInt64) throws {
    var random = Random(values: RandomValues(generator: SeededGenerator(seed: seed)))
    let directory = try TemporaryDirectory()
    let kind = EveryBackend.allCases[Int(seed % UInt64(EveryBackend.allCases.count))]
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [])
    let collection = try store.documents("documents")
    var documents = try (0..<60).map { _ in try collection.insert(random.document()) }
    try store.saveChanges()
    let indexes = ["[a]", "[a] DESC, [b]", "[a[*]]", "[b[*]]", "[b], [a[*]]", "[c[*].a]", "[a.b]", "[name], [c] DESC"]
    for round in 0..<4 {
      for _ in 0..<40 {
        let contents = documents.map(\.value)
        let condition = random.condition(of: contents)
        var arguments: [(any Sendable)?] = []
        let text = condition.text(&arguments)
        let query = try collection.query(text, arguments: arguments)
        let found = try store.fetch(query)
        let expected = documents.filter { condition.holds(for: $0.value) }
        let shown =
          "\(text) with \(arguments.map { ($0 as? DocumentValue).map { (try? $0.json()) ?? "" } ?? "\($0 ?? "nil")" })"
        let plan = try store.explain(query)
        #expect(Set(found) == Set(expected), "\(shown)\n\(plan)")
        #expect(try store.count(query) == expected.count, "\(shown)")
        guard random.values.number(below: 3) == 0 else { continue }
        let value = random.operand(of: contents, at: "**")
        let withValue = documents.filter { $0.value.values(at: "**").contains(value) }
        #expect(Set(try collection.find(anyValue: value)) == Set(withValue), "\(value)")
        let path = DocumentPath(random.values.pick(Random.paths))
        let order = random.values.number(below: 2) == 0 ? "" : " DESC"
        let sorted = try store.fetch(
          collection.query(text, arguments: arguments, orderBy: "[\(path)]\(order)").limit(7))
        let values = expected.map { $0.value.value(at: path) ?? .null }.sorted { DocumentValue.precedes($0, $1) }
        let wanted = Array((order.isEmpty ? values : values.reversed()).prefix(7))
        #expect(sorted.map { $0.value.value(at: path) ?? .null } == wanted, "\(shown) by \(path)\(order)")
      }
      // Some changes stay pending, others are saved; indexes come and go.
      if round % 2 == 1 { try store.saveChanges() }
      if round < 3, !store.hasUnsavedChanges {
        for text in indexes where random.values.number(below: 2) == 0 { try collection.addIndex(text) }
        if let text = try collection.indexes.first { try collection.removeIndex(text) }
        if random.values.number(below: 2) == 0 { try collection.indexEverything() }
      }
      for _ in 0..<10 {
        let position = random.values.number(below: documents.count)
        switch random.values.number(below: 3) {
        case 0: documents.append(try collection.insert(random.document()))
        case 1: try store.delete(documents.remove(at: position))
        default: documents[position].value = random.document()
        }
      }
    }
    try store.saveChanges()
    #expect(try store.verify().isSound)
    try store.close()
  }
}
