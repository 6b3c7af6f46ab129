import SpeedTestHarness

/// The people of a workload: six fields and one nested object each.
struct PeopleSource: Sendable {
  let count: Int

  static let ageCount = 90

  struct Person {
    let number: Int

    var firstName: String { "First \(number)" }
    var lastName: String { "Name \(number % 1000)" }
    var email: String { "user\(number)@example.com" }
    var age: Int { number % PeopleSource.ageCount }
    var score: Double { Double(number) * 0.5 }
    var isActive: Bool { number % 2 == 0 }
    var country: String { "Country \(number % 50)" }
    var city: String { "City \(number / 100)" }
  }

  func person(_ index: Int) -> Person { Person(number: index) }

  /// The number of cities, with a hundred people each.
  var cityCount: Int { (count + 99) / 100 }
}

/// A way of storing documents: Todana, or a library that it is compared with.
protocol DocumentSubject: Subject {
  /// Adds all people, with an index of ages and one of cities and last names if `isIndexed`, and saves once, durably.
  func insert(_ people: PeopleSource, isIndexed: Bool, in directory: String) throws

  /// Fetches people one at a time by the keys of some positions, and reads email and age of each.
  ///
  /// Calls `measure` around the fetching, because finding out the keys is not measured.
  func fetch(
    at positions: [Int], in directory: String, measure: (() throws -> Checksum) throws -> Checksum
  ) throws
    -> Checksum

  /// Fetches the people of each city, and reads email and age of each.
  func fetch(ofCities cities: [String], in directory: String) throws -> Checksum

  /// Fetches the people within each range of ages, by age, at most `limit` of them, and reads email and age of each.
  func fetch(ofAges ranges: [Range<Int>], limit: Int, in directory: String) throws -> Checksum

  /// Adds an index of all values at any depth.
  func indexEverything(in directory: String) throws

  /// Fetches the people that have a value anywhere, and reads email and age of each.
  func fetch(withAnyValue values: [String], in directory: String) throws -> Checksum
}

extension Trial {
  var people: PeopleSource { PeopleSource(count: count) }

  func documents() throws -> any DocumentSubject {
    guard let subject = subject as? any DocumentSubject else {
      throw SpeedTestError.failed("\(subject.name) does not store documents")
    }
    return subject
  }
}

extension Checksum {
  mutating func add(_ person: PeopleSource.Person) { add(title: person.email, seconds: UInt32(person.age)) }
}
