import Foundation
import TestSupport
import Testing
import Todana

/// Index keys at their limits: descending parts with bytes of 0xFF, truncated texts, and partial indexes whose
/// conditions have similar descriptions.
@Suite struct IndexBoundaryTests {
  private let directory: TemporaryDirectory
  private var location: StoreLocation { .directory(directory.path("store")) }

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  // MARK: Descending parts

  final class Reading: StoredObject {
    var number = 0
    var level = 0.0
    var track: UInt8 = 0
    var date = Date(timeIntervalSince1970: 0)
    var data = Data()
    var price = Decimal(0)

    override class var indexes: [Index] {
      [
        Index(.descending(\Reading.number), unique: true), Index(.descending(\Reading.level), \Reading.number),
        Index(.descending(\Reading.track)), Index(\Reading.track, .descending(\Reading.date)),
        Index(.descending(\Reading.data)), Index(.descending(\Reading.price)),
      ]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      level = try buffer.readDouble()
      track = try buffer.readUInt8()
      date = try buffer.readDate()
      data = Data(try buffer.readBytes())
      price = try buffer.readCodable(Decimal.self)
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeDouble(level)
      buffer.writeUInt8(track)
      buffer.writeDate(date)
      buffer.writeBytes([UInt8](data))
      buffer.writeCodable(price)
    }
  }

  @Test func `a value in a descending part matches only itself`() throws {
    let store = try Store(location, classes: [Reading.self])
    for number in -600..<600 {
      let reading = Reading()
      reading.number = number
      reading.level = Double(number) / 8
      reading.track = UInt8(truncatingIfNeeded: number)
      reading.date = Date(timeIntervalSince1970: Double(number))
      reading.data = Data([UInt8](repeating: 0xFF, count: abs(number) % 4) + [UInt8(truncatingIfNeeded: number)])
      reading.price = Decimal(number) / 2
      try store.insert(reading)
    }
    try store.saveChanges()
    let all = try store.fetch(Reading.self)
    for number in [-600, -513, -512, -257, -256, -255, -2, -1, 0, 1, 254, 255, 256, 511, 512, 599] {
      #expect(try store.fetch(Reading.where { $0.number == number }).map(\.number) == [number])
      #expect(try store.count(Reading.where { $0.number.isIn([number, 1000]) }) == 1)
      let level = Double(number) / 8
      #expect(try store.fetch(Reading.where { $0.level == level }).map(\.level) == [level])
      let date = Date(timeIntervalSince1970: Double(number))
      let track = UInt8(truncatingIfNeeded: number)
      #expect(try store.fetch(Reading.where { $0.track == track && $0.date == date }).map(\.number) == [number])
      #expect(try store.count(Reading.where { $0.track == track }) == all.count { $0.track == track })
      let price = Decimal(number) / 2
      #expect(try store.fetch(Reading.where { $0.price == price }).map(\.price) == [price])
      let range = level..<(level + 3)
      #expect(
        try store.ids(Reading.where { $0.level >= range.lowerBound && $0.level < range.upperBound }).count
          == all.count { range.contains($0.level) })
    }
    for data in Set(all.map(\.data)) {
      #expect(try store.count(Reading.where { $0.data == data }) == all.count { $0.data == data })
    }
    #expect(try store.fetch(Reading.where { $0.track == 255 }.limit(5)).map(\.track) == [255, 255, 255, 255, 255])
    try store.delete(Reading.where { $0.number == 255 })
    try store.saveChanges()
    #expect(try store.count(Reading.self) == all.count - 1)
    #expect(try store.fetch(Reading.where { $0.number == 255 }).isEmpty)
    try store.close()
  }

  // MARK: Texts that are cut

  final class Title: StoredObject {
    var text = ""

    override class var indexes: [Index] { [Index(\Title.text)] }

    override func readContent(from buffer: inout DataBuffer) throws { text = try buffer.readString() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(text) }
  }

  @Test func `a sort with a limit returns each object once, also where the index truncates texts`() throws {
    let store = try Store(location, classes: [Title.self])
    for number in 0..<1000 {
      let title = Title()
      title.text = String(format: "%04d", number) + (number % 300 == 150 ? String(repeating: "x", count: 200) : "")
      try store.insert(title)
    }
    try store.saveChanges()
    let expected = try store.fetch(Title.self).sorted { $0.text < $1.text }.map(\.text)
    let sorted = Title.all.sorted(by: \.text)
    for limit in [1, 100, 128, 149, 150, 151, 200, 500, 999, 1000, 2000] {
      for offset in [0, 1, 130, 160, 700] {
        let query = sorted.offset(offset).limit(limit)
        let texts = Array(expected.dropFirst(offset).prefix(limit))
        #expect(try store.fetch(query).map(\.text) == texts, "\(offset), \(limit)")
        #expect(try store.ids(query).count == texts.count)
        #expect(try store.count(query) == texts.count)
      }
    }
    #expect(try store.values(sorted.limit(200), of: \.text) == Array(expected.prefix(200)))
    var visited: [String] = []
    try store.forEach(sorted.limit(200)) { title, _ in visited.append(title.text) }
    #expect(visited == Array(expected.prefix(200)))
    var pages: [String] = []
    var last: Title?
    while pages.count < 2000 {
      let page = try store.fetch(last.map { sorted.limit(70).after($0) } ?? sorted.limit(70))
      guard !page.isEmpty else { break }
      pages += page.map(\.text)
      last = page.last
    }
    #expect(pages == expected)
    let descending = Title.all.sorted(by: \.text, .descending).limit(400)
    #expect(try store.fetch(descending).map(\.text) == Array(expected.reversed().prefix(400)))
    try store.close()
  }

  // MARK: Conditions of partial indexes

  /// A class that several versions of a program store under one name.
  class Event: StoredObject {
    var seconds = 0
    var genre = ""
    var date = Date(timeIntervalSince1970: 0)
    var tag = Data()

    override class var storedName: String { "Event" }

    override func readContent(from buffer: inout DataBuffer) throws {
      seconds = try buffer.readInt()
      genre = try buffer.readString()
      date = try buffer.readDate()
      tag = Data(try buffer.readBytes())
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(seconds)
      buffer.writeString(genre)
      buffer.writeDate(date)
      buffer.writeBytes([UInt8](tag))
    }
  }

  static let genres = ["Blues", "Classical", "Country", "Folk", "Jazz"]
  static func date(_ quarters: Int) -> Date { Date(timeIntervalSince1970: 1000 + Double(quarters) / 4) }

  final class FormerEvent: Event {
    override class var indexes: [Index] {
      [
        Index(\Event.seconds, name: "genre", where: { $0.genre.isIn(genres + ["Pop"]) }),
        Index(\Event.seconds, name: "date", where: { $0.date >= IndexBoundaryTests.date(3) }),
        Index(\Event.seconds, name: "tag", where: { $0.tag == Data([1, 2]) }),
      ]
    }
  }

  final class PresentEvent: Event {
    override class var indexes: [Index] {
      [
        Index(\Event.seconds, name: "genre", where: { $0.genre.isIn(genres + ["Rock"]) }),
        Index(\Event.seconds, name: "date", where: { $0.date >= IndexBoundaryTests.date(1) }),
        Index(\Event.seconds, name: "tag", where: { $0.tag == Data([3, 4]) }),
      ]
    }
  }

  @Test func `a partial index is rebuilt when any value in its condition changes`() throws {
    let former = try Store(location, classes: [FormerEvent.self])
    for number in 0..<2800 {
      let event = FormerEvent()
      event.seconds = number
      event.genre = (Self.genres + ["Pop", "Rock"])[number % 7]
      event.date = Self.date(number % 4)
      event.tag = number % 2 == 0 ? Data([1, 2]) : Data([3, 4])
      try former.insert(event)
    }
    try former.saveChanges()
    try former.close()
    let store = try Store(location, classes: [PresentEvent.self])
    try store.buildIndexes()
    let all = try store.fetch(PresentEvent.self)
    let genres = Self.genres + ["Rock"]
    #expect(
      try store.fetch(PresentEvent.where { $0.genre.isIn(genres) && $0.seconds >= 2700 }).map(\.seconds)
        == all.filter { genres.contains($0.genre) && $0.seconds >= 2700 }.map(\.seconds))
    let date = Self.date(1)
    #expect(
      try store.fetch(PresentEvent.where { $0.date >= date && $0.seconds >= 2700 }).map(\.seconds)
        == all.filter { $0.date >= date && $0.seconds >= 2700 }.map(\.seconds))
    let tag = Data([3, 4])
    #expect(
      try store.fetch(PresentEvent.where { $0.tag == tag && $0.seconds >= 2700 }).map(\.seconds)
        == all.filter { $0.tag == tag && $0.seconds >= 2700 }.map(\.seconds))
    #expect(try store.verify().isSound)
    try store.close()
    // Opening again without a change builds nothing.
    let again = try Store(location, classes: [PresentEvent.self])
    #expect(try again.storedIndexes.allSatisfy(\.isComplete))
    try again.close()
  }
}
