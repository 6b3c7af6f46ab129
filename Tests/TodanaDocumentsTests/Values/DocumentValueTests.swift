import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaDocuments

@Suite struct DocumentValueTests {
  @Test func `literals are values`() {
    let user: DocumentValue = [
      "last_name": "Doe", "emails": ["jdoe@foo.com"], "address": ["country": "US"], "age": 41, "height": 1.8,
      "active": true, "note": nil,
    ]
    #expect(user["last_name"]?.string == "Doe")
    #expect(user["age"]?.int == 41)
    #expect(user["height"]?.double == 1.8)
    #expect(user["active"]?.bool == true)
    #expect(user["note"]?.isNull == true)
    #expect(user["emails"]?[0] == "jdoe@foo.com")
    #expect(user.fields?.map(\.key) == ["last_name", "emails", "address", "age", "height", "active", "note"])
  }

  @Test func `each property is nil for values of other kinds`() {
    let values: [DocumentValue] = [
      nil, true, 1, 1.5, "a", .init(Date()), .init(UUID()), .init(Data([1])), [1], ["a": 1],
    ]
    for (position, value) in values.enumerated() {
      let found = [
        value.isNull, value.bool != nil, value.int != nil, value.double == 1.5, value.string != nil, value.date != nil,
        value.uuid != nil, value.bytes != nil, value.array != nil, value.dictionary != nil,
      ]
      #expect(found == values.indices.map { $0 == position })
    }
  }

  @Test func `descriptions are JSON, for every value`() {
    #expect("\(["a": [1, nil]] as DocumentValue)" == #"{"a":[1,null]}"#)
    var random = RandomValues(generator: SeededGenerator(seed: 1))
    for _ in 0..<500 {
      let value = random.value()
      #expect("\(value)" == "\([value])".dropFirst().dropLast())
    }
  }

  @Test func `numbers are read as the other type only if this is exact`() {
    #expect(DocumentValue(3.0).int == 3)
    #expect(DocumentValue(3.5).int == nil)
    #expect(DocumentValue(3).double == 3)
    #expect(DocumentValue((1 << 53) + 1).double == nil)
    #expect(DocumentValue(1e300).int == nil)
    #expect(DocumentValue(Double.nan).int == nil)
  }

  @Test func `keys are compared by their bytes, and keep their order`() {
    var entries: DocumentDictionary = ["é": 1, "e\u{301}": 2, "a": 3]
    #expect(entries.count == 3)
    #expect(entries["é"] == 1)
    #expect(entries["e\u{301}"] == 2)
    entries["é"] = nil
    entries["é"] = 4
    #expect(entries.map(\.value) == [2, 3, 4])
    let swift: [String: DocumentValue] = ["b": 1, "a": 2]
    #expect(DocumentValue(swift).fields?.map(\.key) == ["a", "b"])
  }

  @Test func `a dictionary of many keys behaves like one of few`() {
    var entries = DocumentDictionary()
    var expected: [(String, Int)] = []
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let key = "key\(Int.random(in: 0..<40, using: &generator))"
      let position = expected.firstIndex { $0.0 == key }
      if Bool.random(using: &generator) {
        let value = Int.random(in: 0..<100, using: &generator)
        entries[key] = DocumentValue(value)
        if let position { expected[position].1 = value } else { expected.append((key, value)) }
      } else {
        entries[key] = nil
        if let position { expected.remove(at: position) }
      }
      #expect(entries.elementsEqual(expected) { $0.key == $1.0 && $0.value.int == $1.1 })
    }
  }
}
