import SpeedTestHarness

extension Preparation {
  static let indexedDocuments = Preparation(name: "indexed-documents") { trial, _ in
    try trial.documents().insert(trial.people, isIndexed: true, in: trial.directory)
  }

  static let wholeIndex = Preparation(name: "index-of-everything") { trial, _ in
    try trial.documents().insert(trial.people, isIndexed: false, in: trial.directory)
    try trial.documents().indexEverything(in: trial.directory)
  }

  static let plainDocuments = Preparation(name: "documents") { trial, _ in
    try trial.documents().insert(trial.people, isIndexed: false, in: trial.directory)
  }
}

/// D1: creates documents and saves them durably in one save, without an index or with two.
struct InsertDocuments: Workload {
  let isIndexed: Bool
  let changesData = true

  var id: String { isIndexed ? "D1-indexed" : "D1" }
  var name: String { isIndexed ? "InsertIndexed" : "Insert" }

  func summary(count: Int) -> String {
    "creates \(grouped(count)) documents of six fields and an object\(isIndexed ? ", with two indexes" : ""), one save"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let (subject, people) = (try trial.documents(), trial.people)
    try meter.measure { try subject.insert(people, isIndexed: isIndexed, in: trial.directory) }
  }

  func verify(_ trial: Trial) throws {
    let people = trial.people
    let cities = (0..<people.cityCount).map { "City \($0)" }
    guard isIndexed || people.count <= 10_000 else { return }
    var expected = Checksum()
    for index in 0..<people.count { expected.add(people.person(index)) }
    let found = try trial.documents().fetch(ofCities: cities, in: trial.directory)
    try trial.expect(found, expected, "the inserted documents by their cities")
  }
}

/// D2: fetches documents by their keys, one at a time.
struct GetDocuments: Workload {
  let id = "D2"
  let name = "GetByKey"
  let preparation: Preparation? = .indexedDocuments

  func summary(count: Int) -> String { "fetches \(grouped(tenth(of: count))) random documents by their keys" }

  func run(_ trial: Trial, meter: Meter) throws {
    let people = trial.people
    var generator = SeededGenerator(seed: 2)
    let positions = (0..<tenth(of: people.count)).map { _ in Int.random(in: 0..<people.count, using: &generator) }
    let found = try trial.documents().fetch(at: positions, in: trial.directory) { body in
      try meter.measure { try body() }
    }
    var expected = Checksum()
    for position in positions { expected.add(people.person(position)) }
    try trial.expect(found, expected, "documents by their keys")
  }
}

/// D3: fetches documents by the value at a nested path, through an index.
struct EqualDocuments: Workload {
  let id = "D3"
  let name = "Equality"
  let preparation: Preparation? = .indexedDocuments

  private func queryCount(_ count: Int) -> Int { max(1, count / 1_000) }

  func summary(count: Int) -> String {
    "fetches the hundred documents of each of \(grouped(queryCount(count))) random values at a nested path"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let (subject, people) = (try trial.documents(), trial.people)
    var generator = SeededGenerator(seed: 3)
    let numbers = (0..<queryCount(people.count)).map { _ in Int.random(in: 0..<people.cityCount, using: &generator) }
    let found = try meter.measure {
      try subject.fetch(ofCities: numbers.map { "City \($0)" }, in: trial.directory)
    }
    var expected = Checksum()
    for number in numbers {
      for index in (number * 100)..<min(number * 100 + 100, people.count) { expected.add(people.person(index)) }
    }
    try trial.expect(found, expected, "documents by their cities")
  }
}

/// D4: fetches the first documents of ranges of a number, in its order.
struct DocumentsInRanges: Workload {
  static let limit = 100

  let id = "D4"
  let name = "Ranges"
  let preparation: Preparation? = .indexedDocuments

  private func queryCount(_ count: Int) -> Int { max(1, count / 1_000) }

  func summary(count: Int) -> String {
    "fetches the first \(Self.limit) documents of each of \(grouped(queryCount(count))) ranges of numbers, sorted"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let (subject, people) = (try trial.documents(), trial.people)
    var generator = SeededGenerator(seed: 4)
    let ranges = (0..<queryCount(people.count)).map { _ -> Range<Int> in
      let start = Int.random(in: 0..<PeopleSource.ageCount, using: &generator)
      return start..<(start + 5)
    }
    let found = try meter.measure {
      try subject.fetch(ofAges: ranges, limit: Self.limit, in: trial.directory)
    }
    var expected = Checksum()
    for range in ranges {
      var rest = Self.limit
      for age in range where age < PeopleSource.ageCount {
        for index in stride(from: age, to: people.count, by: PeopleSource.ageCount) where rest > 0 {
          expected.add(people.person(index))
          rest -= 1
        }
      }
    }
    try trial.expect(found, expected, "documents by ranges of ages")
  }
}

/// D5: adds an index of all values at any depth to existing documents.
struct IndexEverything: Workload {
  let id = "D5"
  let name = "IndexEverything"
  let preparation: Preparation? = .plainDocuments
  let changesData = true

  func summary(count: Int) -> String {
    "adds an index of all \(grouped(8 * count)) values of \(grouped(count)) documents"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let subject = try trial.documents()
    try meter.measure { try subject.indexEverything(in: trial.directory) }
  }

  func verify(_ trial: Trial) throws { try FindAnyValue.check(trial) { try $0() } }
}

/// D6: fetches documents by a value that may be anywhere, through an index of all values.
struct FindAnyValue: Workload {
  let id = "D6"
  let name = "FindAnyValue"
  let preparation: Preparation? = .wholeIndex

  func summary(count: Int) -> String {
    "fetches the documents of \(grouped(tenth(of: tenth(of: count)))) random values that may be anywhere"
  }

  func run(_ trial: Trial, meter: Meter) throws { try Self.check(trial) { body in try meter.measure { try body() } } }

  static func check(_ trial: Trial, _ measure: (() throws -> Checksum) throws -> Checksum) throws {
    let (subject, people) = (try trial.documents(), trial.people)
    var generator = SeededGenerator(seed: 6)
    let numbers = (0..<tenth(of: tenth(of: people.count))).map { _ in
      Int.random(in: 0..<people.count, using: &generator)
    }
    let values = numbers.map { people.person($0).email }
    let found = try measure { try subject.fetch(withAnyValue: values, in: trial.directory) }
    var expected = Checksum()
    for number in numbers { expected.add(people.person(number)) }
    try trial.expect(found, expected, "documents by any value")
  }
}
