/// The places at which phrases are near each other, as `NEAR` of SQLite's FTS5 finds them.
///
/// The places of each phrase are followed in ascending order. Those that are too far before the last one are left. At
/// each match, the phrase whose next place comes first goes on.
struct NearPlaces {
  private let places: [[Int]]
  private let lengths: [Int]
  private let distance: Int
  /// The position in the places of each phrase.
  private var current: [Int]

  /// - Parameters:
  ///   - places: The numbers of the words at which each phrase begins, in ascending order.
  ///   - lengths: The number of words of each phrase.
  ///   - distance: The maximum number of words between the end of a phrase and the beginning of the last one.
  init(of places: [[Int]], _ lengths: [Int], distance: Int) {
    self.places = places
    self.lengths = lengths
    self.distance = distance
    current = places.map { _ in 0 }
  }

  /// Whether all phrases are near each other at any place.
  var exist: Bool {
    var search = self
    return search.findMatch()
  }

  /// The places of each phrase that belong to a match.
  var all: [[Int]] {
    var search = self
    var found = places.map { _ in [Int]() }
    while search.findMatch() {
      for index in places.indices {
        let place = places[index][search.current[index]]
        if found[index].last != place { found[index].append(place) }
      }
      guard search.goOn() else { break }
    }
    return found
  }

  /// Goes on to a match, from the current places on.
  private mutating func findMatch() -> Bool {
    guard places.indices.allSatisfy({ current[$0] < places[$0].count }) else { return false }
    var last = places[0][current[0]]
    while true {
      var isMatch = true
      for index in places.indices {
        let least = last - lengths[index] - distance
        guard !(least...last).contains(places[index][current[index]]) else { continue }
        isMatch = false
        while places[index][current[index]] < least {
          current[index] += 1
          if current[index] == places[index].count { return false }
        }
        last = max(last, places[index][current[index]])
      }
      if isMatch { return true }
    }
  }

  /// Goes on with the phrase whose next place comes first.
  private mutating func goOn() -> Bool {
    func next(_ index: Int) -> Int {
      current[index] + 1 < places[index].count ? places[index][current[index] + 1] : .max
    }
    var first = 0
    for index in places.indices where next(index) < next(first) { first = index }
    current[first] += 1
    return current[first] < places[first].count
  }
}
