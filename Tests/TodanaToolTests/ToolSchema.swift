import Foundation
import TestSupport

/// The fields of the commands' JSON, as `docs/formats/tool-json.md` lists them.
struct ToolSchema {
  struct Field {
    /// The type without `?`, such as "list of objects".
    let type: String
    let isOptional: Bool
    /// The fields of an object, or of the objects in a list.
    var fields: [String: Field] = [:]
  }

  /// The fields by command and form, such as "archive compact --dry-run".
  let commands: [String: [String: Field]]
  /// The commands that print a line for each value.
  let lists: Set<String>

  init() throws {
    let path = Checkout.directory.appending(path: "docs/formats/tool-json.md").path
    var commands: [String: [String: Field]] = [:]
    var lists: Set<String> = []
    var names: [String] = []
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") {
        names = line.hasPrefix("### ") ? line.dropFirst(4).split(separator: ", ").map(String.init) : []
      } else if line.hasPrefix("A line for each") {
        lists.formUnion(names)
      } else if let row = line.wholeMatch(of: /\| `([^`]+)` \| ([a-z ]+)(\??) \| .* \|/) {
        let field = Field(type: String(row.2), isOptional: !row.3.isEmpty)
        for name in names {
          Self.add(
            field, at: row.1.split(separator: ".").map { String($0.replacing("[]", with: "")) },
            to: &commands[name, default: [:]])
        }
      }
    }
    (self.commands, self.lists) = (commands, lists)
  }

  private static func add(_ field: Field, at path: [String], to fields: inout [String: Field]) {
    if path.count == 1 {
      fields[path[0]] = field
    } else {
      add(field, at: Array(path.dropFirst()), to: &fields[path[0], default: Field(type: "", isOptional: false)].fields)
    }
  }

  /// Returns the differences between an object and the documented fields, a sentence for each.
  func problems(of value: JSONValue, _ command: String) -> [String] {
    guard let fields = commands[command] else { return ["\(command) is not documented"] }
    return problems(of: value, fields, command)
  }

  private func problems(of value: JSONValue, _ fields: [String: Field], _ place: String) -> [String] {
    guard case .object(let object) = value else { return ["\(place) is no object"] }
    var problems = object.keys.filter { fields[$0] == nil }.map { "\(place): \($0) is not documented" }
    for (name, field) in fields {
      if let value = object[name] {
        problems += self.problems(of: value, field, "\(place): \(name)")
      } else if !field.isOptional {
        problems.append("\(place): \(name) is missing")
      }
    }
    return problems
  }

  private func problems(of value: JSONValue, _ field: Field, _ place: String) -> [String] {
    switch (field.type, value) {
    case ("string", .string), ("boolean", .boolean), ("integer", .integer), ("number", .integer), ("number", .number),
      ("fields", .object):
      return []
    case ("time", .string(let text)):
      return text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{9})?Z/) == nil
        ? ["\(place): \(text) is no time"] : []
    case ("bytes", .string(let text)): return Data(base64Encoded: text) == nil ? ["\(place) is not Base64"] : []
    case ("id", .string(let text)): return text.wholeMatch(of: /[0-9a-f]{32}/) == nil ? ["\(place) is no id"] : []
    case ("file", .object): return problems(of: value, commands["archive list"] ?? [:], place)
    case ("object", .object): return problems(of: value, field.fields, place)
    case ("list of objects", .list(let values)): return values.flatMap { problems(of: $0, field.fields, place) }
    case ("list of strings", .list(let values)), ("list of integers", .list(let values)),
      ("list of bytes", .list(let values)):
      let type = field.type == "list of strings" ? "string" : field.type == "list of bytes" ? "bytes" : "integer"
      return values.flatMap { problems(of: $0, Field(type: type, isOptional: false), place) }
    default: return ["\(place) is no \(field.type)"]
    }
  }
}

/// A JSON value of any kind.
enum JSONValue: Decodable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}
