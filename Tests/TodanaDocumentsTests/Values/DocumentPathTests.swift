import TestSupport
import Testing

@testable import TodanaDocuments

@Suite struct DocumentPathTests {
  static let user: DocumentValue = [
    "name": "Doe", "emails": ["a@foo.com", "b@foo.com"], "address": ["country": "US", "zip.code": 1],
    "children": [["name": "Ann", "country": "FR"], ["name": "Bob"]], "tag": "x", "[0]": "odd", "": "empty",
    "**": "stars",
  ]

  @Test(
    arguments: [
      ("name", "Doe"), ("address.country", "US"), ("emails[1]", "b@foo.com"), ("children[0].name", "Ann"),
      ("address.zip\\.code", 1), ("\\[0]", "odd"), ("", "empty"), ("\\**", "stars"), ("name.first", nil),
      ("emails[2]", nil),
      ("emails.0", nil), ("children[9999999999999999999].name", nil), ("children[x]", nil), ("tag[0]", nil),
      ("**.country", "US"), ("emails[*]", "a@foo.com"),
    ] as [(String, DocumentValue?)])
  func `a path leads to a value`(path: String, expected: DocumentValue?) throws {
    #expect(Self.user[path] == expected)
    #expect(try EncodedValue(Self.user).value(at: DocumentPath(path)) == expected)
  }

  @Test(
    arguments: [
      ("emails[*]", ["a@foo.com", "b@foo.com"]), ("children[*].name", ["Ann", "Bob"]), ("tag[*]", ["x"]),
      ("**.country", ["US", "FR"]), ("**.name", ["Doe", "Ann", "Bob"]), ("children.**.country", ["FR"]),
      ("**.**.country", ["US", "FR"]), ("missing[*]", []),
    ] as [(String, [DocumentValue])])
  func `a path with wildcards leads to several values`(path: String, expected: [DocumentValue]) throws {
    #expect(Self.user.values(at: DocumentPath(path)) == expected)
    #expect(try EncodedValue(Self.user).values(at: DocumentPath(path)) == expected)
  }

  @Test func `** alone leads to all values at all depths`() {
    let value: DocumentValue = ["a": [1, 2]]
    #expect(value.values(at: "**") == [["a": [1, 2]], [1, 2], 1, 2])
  }

  @Test func `assignments change, add and remove values`() throws {
    var user = Self.user
    user["address.city"] = "Boston"
    user["new.deep.value"] = 1
    user["emails[2]"] = "c@foo.com"
    user["emails[0]"] = nil
    user["tag"] = nil
    #expect(user["address"] == ["country": "US", "zip.code": 1, "city": "Boston"])
    #expect(user["new"] == ["deep": ["value": 1]])
    #expect(user["emails"] == ["b@foo.com", "c@foo.com"])
    #expect(user.fields?["tag"] == nil)
    user["children[*].name"] = "Eve"
    #expect(user.values(at: "children[*].name") == ["Eve", "Eve"])
    user["**.country"] = nil
    #expect(user.values(at: "**.country") == [])
  }

  @Test func `an impossible assignment throws, or changes nothing`() {
    var user = Self.user
    #expect(throws: DocumentError.self) { try user.set(1, at: "name.first") }
    #expect(throws: DocumentError.self) { try user.set(1, at: "emails[3]") }
    #expect(throws: DocumentError.self) { try user.set(1, at: "name[0]") }
    #expect(throws: DocumentError.self) { try user.append(1, at: "name") }
    #expect(throws: DocumentError.self) { try user.increment(at: "name") }
    user["name.first"] = 1
    user["emails"]?[9] = 1
    user["missing.key"] = nil
    #expect(user == Self.user)
  }

  @Test func `patches append, increment and merge`() throws {
    var user = Self.user
    try user.append("c@foo.com", at: "emails")
    try user.append(1, at: "scores.all")
    try user.increment(at: "visits")
    try user.increment(at: "visits", by: 2)
    try user.increment(at: "weight", by: 0.5)
    try user.increment(at: "address.zip\\.code", by: -1)
    try user.merge(["name": "Smith", "address": ["city": "Boston"]], deeply: true)
    #expect(user["emails[2]"] == "c@foo.com")
    #expect(user["scores.all"] == [1])
    #expect(user["visits"]?.int == 3)
    #expect(user["weight"] == 0.5)
    #expect(user["address"] == ["country": "US", "zip.code": 0, "city": "Boston"])
    try user.merge(["address": ["city": "Rome"]])
    #expect(user["address"] == ["city": "Rome"])
    var number: DocumentValue = ["n": .init(Int64.max)]
    let error = #expect(throws: DocumentError.self) { try number.increment(at: "n") }
    #expect(error?.code == .numberOutOfRange)
    #expect(number["n"] == .init(Int64.max))
  }

  @Test func `every text is a path, whose own text leads to the same value`() {
    for text in [
      "a", "a.b", "a..b", ".", "a[", "a]", "a[]", "a[x]", "a[1", "\\", "a\\", "[*][0]", "a[0]b", "**", "a.**.b",
      "a....[*]", ".[0]", "**.[*]", "**[*]", "a.[0]", "\\**[0]", "[0].", "..[1][2]",
    ] {
      let path = DocumentPath(text)
      let again = DocumentPath(path.description)
      #expect(again.description == path.description, "\(text)")
      #expect("\(again.steps)" == "\(path.steps)", "\(text)")
    }
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 1000))
  func `bytes and decoded values have the same values at every path`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<200 {
      let value = random.dictionary(depth: 4)
      let path = random.path()
      let encoded = try EncodedValue(value)
      #expect(try encoded.values(at: path) == value.values(at: path), "\(path) of \(value)")
      #expect(try encoded.value(at: path) == value.value(at: path), "\(path) of \(value)")
      var changed = value
      let new = random.scalar()
      if (try? changed.set(new, at: path)) != nil, path.isSingle {
        #expect(changed.value(at: path) == new, "\(path) of \(value)")
        try changed.set(nil, at: path)
        #expect(changed.values(at: path).count <= 1)
      } else if path.isSingle {
        #expect(try isIdentical(changed, value))
      }
    }
  }

  @Test func `each value is found and changed once, however many ways lead to it`() throws {
    var nested: DocumentValue = ["a": 1]
    for _ in 0..<90 { nested = ["a": nested] }
    let path = DocumentPath(Array(repeating: "**.a", count: 40).joined(separator: "."))
    #expect(nested.values(at: path).count == 91 - 39)
    #expect(try EncodedValue(nested).values(at: path) == nested.values(at: path))
    var numbers: DocumentValue = ["a": ["a": ["a": ["b": 1]]], "b": [1, 2]]
    try numbers.increment(at: "**.a.**.b")
    try numbers.increment(at: "b[*]", by: 10)
    try numbers.increment(at: "**.b[*].**", by: 100)
    #expect(numbers == ["a": ["a": ["a": ["b": 102]]], "b": [111, 112]])
    #expect(numbers.values(at: "**.**.b") == numbers.values(at: "**.b"))
    #expect(numbers.values(at: "**.a") == [["a": ["a": ["b": 102]]], ["a": ["b": 102]], ["b": 102]])
  }

  @Test func `long paths are refused, or lead nowhere`() throws {
    for part in ["a.", "[0]", "[*]", "**.", "a[*].", "**[0]."] {
      let path = DocumentPath(String(repeating: part, count: 100_000) + ".a")
      var value = Self.user
      if path.isSingle {
        #expect(throws: DocumentError.self) { try value.set(1, at: path) }
        #expect(value == Self.user)
      }
      #expect(try EncodedValue(value).values(at: path) == value.values(at: path))
      try value.set(nil, at: path)
      #expect(value == Self.user)
    }
    var value: DocumentValue = [:]
    try value.set(1, at: DocumentPath(Array(repeating: "a", count: 100).joined(separator: ".")))
    #expect(try EncodedValue(value).value() == value)
  }
}
