import Todana

// A music library with every kind of relationship.

final class Track: StoredObject {
  var title = ""
  var genre: Genre?
  @Inverse(\Record.tracks) var records: [Record]
  @Inverse(\Review.subject) var reviews: [Review]
  /// The inverse of a property without a relationship.
  @Inverse(\Shop.favourite) var notes: [Shop]

  convenience init(_ title: String) {
    self.init()
    self.title = title
  }

  override class var relationships: [Relationship] { [Relationship(\Track.genre, onTargetDelete: .nullify)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    genre = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReference(genre)
  }
}

final class Genre: StoredObject {
  var name = ""
  @Inverse(\Track.genre) var tracks: [Track]

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

final class Record: StoredObject {
  var title = ""
  var tracks: [Track] = []

  convenience init(_ title: String, _ tracks: [Track] = []) {
    self.init()
    self.title = title
    self.tracks = tracks
  }

  override class var relationships: [Relationship] {
    [Relationship(\Record.tracks, onDelete: .cascade, onTargetDelete: .nullify)]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    tracks = try buffer.readReferences()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(tracks)
  }
}

/// Exists only as long as its track.
final class Review: StoredObject {
  var text = ""
  var subject = Track()

  convenience init(_ text: String, of subject: Track) {
    self.init()
    self.text = text
    self.subject = subject
  }

  override class var relationships: [Relationship] { [Relationship(\Review.subject, onTargetDelete: .cascade)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    if let subject: Track = try buffer.readReference() { self.subject = subject }
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeReference(subject)
  }
}

/// Forbids the delete of its records, and cannot be deleted as long as it has some.
final class Shop: StoredObject {
  var name = ""
  var stock: Set<Record> = []
  var favourite: Track?

  convenience init(_ name: String, _ stock: Set<Record> = []) {
    self.init()
    self.name = name
    self.stock = stock
  }

  override class var relationships: [Relationship] {
    [Relationship(\Shop.stock, onDelete: .deny, onTargetDelete: .deny)]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    stock = Set(try buffer.readReferences(Record.self))
    favourite = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeReferences(stock.sorted { ($0.id?.rowID ?? 0) < ($1.id?.rowID ?? 0) })
    buffer.writeReference(favourite)
  }
}

/// Refers to objects of any class, and keeps references to those that are deleted.
final class Note: StoredObject {
  var text = ""
  var about: Track?
  var others: [StoredObject] = []
  var lazy = LazyReferences<Track>()

  convenience init(_ text: String) {
    self.init()
    self.text = text
  }

  override class var relationships: [Relationship] {
    [
      Relationship(\Note.about, onTargetDelete: .keep), Relationship(\Note.others),
      Relationship(\Note.lazy, onDelete: .nothing, onTargetDelete: .nullify),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    about = try buffer.readReference()
    others = try buffer.readAnyReferences()
    lazy = try buffer.readLazyReferences()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeReference(about)
    buffer.writeAnyReferences(others)
    buffer.writeReferences(lazy)
  }
}

let libraryClasses: [StoredObject.Type] = [
  Track.self, Genre.self, Record.self, Review.self, Shop.self, Note.self,
]
