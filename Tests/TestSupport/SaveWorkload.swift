public import Todana

/// Saves that depend only on their number, over several classes and named buffers.
///
/// A second process thus knows the state after each one. Save *n* inserts a song and a node, deletes an old song,
/// changes two playlists and writes two named buffers. It also inserts a note with indexes, changes one and deletes
/// one; every third note is of a subclass.
public enum SaveWorkload {
  public static let classes: [StoredObject.Type] = [Song.self, Playlist.self, Node.self, Note.self, Reminder.self]

  /// The encryption of the store, for tests with an encrypted one.
  public static let encryption = StoreEncryption.key([UInt8](repeating: 0xA5, count: 16))
  public static let secret = StoreSecret.key([UInt8](repeating: 0xA5, count: 16))
  /// Parts of names and contents that must not occur in the files of an encrypted store.
  public static let words = [
    "Song", "song ", "Playlist", "latest", "reversed", "Node", "node ", "favourites", "save count",
    "Note", "note ", "index", "Reminder", "place ",
  ]

  /// A class with indexes and a subclass.
  public class Note: StoredObject {
    public var text = ""
    public var number: Int64 = 0

    public override class var indexes: [Index] {
      [Index(\Note.number, unique: true, name: "index of numbers"), Index(.folded(\Note.text), name: "index of texts")]
    }

    public override func readContent(from buffer: inout DataBuffer) throws {
      text = try buffer.readString()
      number = try buffer.readInt64()
    }
    public override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(text)
      buffer.writeInt64(number)
    }
  }

  /// A subclass with an index of its own.
  public final class Reminder: Note {
    public var place = ""

    public override class var indexes: [Index] { super.indexes + [Index(\Reminder.place, name: "index of places")] }

    public override func readContent(from buffer: inout DataBuffer) throws {
      try super.readContent(from: &buffer)
      place = try buffer.readString()
    }
    public override func writeContent(to buffer: inout DataBuffer) {
      super.writeContent(to: &buffer)
      buffer.writeString(place)
    }
  }

  /// The contents of a store, as its readers see them.
  public struct State: Equatable, Sendable {
    public var saveCount: Int
    public var songs: [String: UInt32] = [:]
    public var playlists: [String: [String]] = [:]
    public var nodes: [String] = []
    public var favourites: [String] = []
    /// The numbers of all notes, in the order of an index.
    public var notes: [Int64] = []
    /// The places of the notes that are reminders, in the order of an index.
    public var places: [String] = []

    /// Creates the state after `saveCount` saves.
    public init(after saveCount: Int) {
      self.saveCount = saveCount
      guard saveCount > 0 else { return }
      for number in SaveWorkload.songs(after: saveCount) { songs[SaveWorkload.title(number)] = UInt32(number) }
      let titles = SaveWorkload.songs(after: saveCount).suffix(5).map(SaveWorkload.title)
      playlists = ["latest": titles, "reversed": titles.reversed()]
      nodes = (1...saveCount).map { "node \($0)" }
      favourites = titles
      notes = SaveWorkload.notes(after: saveCount)
      places = notes.filter { $0 % 3 == 0 }.map { SaveWorkload.place(Int(abs($0))) }.sorted()
    }

    /// Reads the current state of the store.
    public init(of store: Store) throws {
      saveCount = try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
      for song in try store.fetch(Song.self) { songs[song.title] = song.seconds }
      for playlist in try store.fetch(Playlist.self, loading: \.songs) {
        playlists[playlist.title] = playlist.songs.map(\.title)
      }
      nodes = try store.fetch(Node.self).map(\.name)
      let favourites = try store.readNamedBuffer("favourites") { try $0.readReferences(Song.self) } ?? []
      try store.load(favourites)
      self.favourites = favourites.map(\.title)
      notes = try store.fetch(
        Note.all.includingSubclasses().sorted(by: \.number).limit(.max)
      ).map(\.number)
      places = try store.fetch(Reminder.all.sorted(by: \.place).limit(.max)).map(\.place)
    }
  }

  /// Performs save `number` in a store whose last save was the previous number.
  public static func save(_ number: Int, to store: Store, durability: Durability = .full) throws {
    try store.insert(Song(title(number), seconds: UInt32(number)))
    let songs = try store.fetch(Song.self)
    for song in songs where Int(song.seconds) <= number - 20 { try store.delete(song) }
    let node = Node()
    node.name = "node \(number)"
    node.next = node
    try store.insert(node)
    let latest = Array(songs.suffix(5))
    try setSongs(latest, of: "latest", in: store)
    try setSongs(latest.reversed(), of: "reversed", in: store)
    try store.writeNamedBuffer("favourites") { $0.writeReferences(latest) }
    try saveNotes(number, to: store)
    try store.writeNamedBuffer("save count") { $0.writeUInt64(UInt64(number)) }
    try store.saveChanges(durability: durability)
  }

  /// Inserts a note, negates the numbers of notes that are five saves old, and deletes those that are ten saves old.
  private static func saveNotes(_ number: Int, to store: Store) throws {
    let note: Note
    if number % 3 == 0 {
      let reminder = Reminder()
      reminder.place = place(number)
      note = reminder
    } else {
      note = Note()
    }
    note.text = "note \(number % 7)"
    note.number = Int64(number)
    try store.insert(note)
    let old = Note.where { $0.number > 0 && $0.number <= Int64(number - 5) }.includingSubclasses()
    try store.update(old) { $0.number = -$0.number }
    let oldest = Note.where { $0.number >= -Int64(max(0, number - 10)) && $0.number < 0 }.includingSubclasses()
    try store.delete(oldest)
  }

  private static func notes(after saveCount: Int) -> [Int64] {
    let numbers = (1...saveCount).filter { $0 > saveCount - 10 }
    return numbers.map { $0 <= saveCount - 5 ? -Int64($0) : Int64($0) }.sorted()
  }

  private static func setSongs(_ songs: [Song], of title: String, in store: Store) throws {
    if let playlist = try store.fetch(Playlist.self).first(where: { $0.title == title }) {
      try store.update(playlist) { $0.songs = songs }
    } else {
      let playlist = Playlist()
      playlist.title = title
      playlist.songs = songs
      try store.insert(playlist)
    }
  }

  /// Returns the numbers of the songs that are present, in the order of their insertion.
  private static func songs(after saveCount: Int) -> ClosedRange<Int> { max(1, saveCount - 19)...saveCount }

  private static func place(_ number: Int) -> String { "place \(number % 5)" }

  private static func title(_ number: Int) -> String {
    "song \(number) " + String(repeating: "é", count: number % 13 == 0 ? 5_000 : number % 50)
  }
}
