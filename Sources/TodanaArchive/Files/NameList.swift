/// The names in a directory, sorted by bytes, each once.
///
/// Millions of names are held without an allocation for each: their bytes one after the other, and eight bytes beside.
package struct NameList: Sendable, RandomAccessCollection {
  private struct Place {
    var start: UInt32
    var count: UInt16
    var isRegular: Bool
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  /// Begins an empty list; names are then appended, and sorted in the end.
  init() {}

  /// Returns false where the list takes no more: 4 GiB of names, or one of 64 KiB.
  mutating func append(_ name: UnsafeBufferPointer<UInt8>, isRegular: Bool = false) -> Bool {
    guard let start = UInt32(exactly: bytes.count), UInt32(exactly: bytes.count + name.count) != nil,
      let count = UInt16(exactly: name.count)
    else { return false }
    unsafe bytes.append(contentsOf: name)
    places.append(Place(start: start, count: count, isRegular: isRegular))
    return true
  }

  mutating func sort() { places = Self.sorted(places, bytes.span) }

  private static func sorted(_ places: [Place], _ bytes: borrowing Span<UInt8>) -> [Place] {
    var sorted: [Place] = []
    sorted.reserveCapacity(places.count)
    for place in places.sorted(by: { isOrdered(bytes, $0, before: $1) }) {
      // A directory that changes while it is read may give a name twice.
      if let last = sorted.last, !isOrdered(bytes, last, before: place) { continue }
      sorted.append(place)
    }
    return sorted
  }

  private static func isOrdered(_ bytes: borrowing Span<UInt8>, _ left: Place, before right: Place) -> Bool {
    let (leftStart, rightStart) = (Int(left.start), Int(right.start))
    for offset in 0..<Int(Swift.min(left.count, right.count)) {
      let (leftByte, rightByte) = (bytes[leftStart + offset], bytes[rightStart + offset])
      if leftByte != rightByte { return leftByte < rightByte }
    }
    return left.count < right.count
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  /// Whether the directory says that the name is that of a regular file; false may mean that it does not know.
  func isRegular(at index: Int) -> Bool { places[index].isRegular }

  package subscript(index: Int) -> [UInt8] {
    let place = places[index]
    return Array(bytes[Int(place.start)..<Int(place.start) + Int(place.count)])
  }
}
