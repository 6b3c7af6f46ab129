public import Todana

/// Saves that follow from their number alone, over several classes and named buffers, so that a second process knows
/// what each one left behind.
///
/// Save *n* inserts a song, deletes an old one, changes two playlists and writes two named buffers.
public enum SaveWorkload {
  public static let classes: [StoredObject.Type] = [Song.self, Playlist.self, Node.self]

  /// What encrypts the store where it is to be encrypted.
  public static let encryption = StoreEncryption.key([UInt8](repeating: 0xA5, count: 16))
  public static let secret = StoreSecret.key([UInt8](repeating: 0xA5, count: 16))
  /// Parts of names and contents, none of which the files of an encrypted store may have.
  public static let words = [
    "Song", "song ", "Playlist", "latest", "reversed", "Node", "node ", "favourites", "save count",
  ]

  /// What a store holds: everything that a reader of it can see.
  public struct State: Equatable, Sendable {
    public var saveCount: Int
    public var songs: [String: UInt32] = [:]
    public var playlists: [String: [String]] = [:]
    public var nodes: [String] = []
    public var favourites: [String] = []

    /// What `saveCount` saves leave behind.
    public init(after saveCount: Int) {
      self.saveCount = saveCount
      guard saveCount > 0 else { return }
      for number in SaveWorkload.songs(after: saveCount) { songs[SaveWorkload.title(number)] = UInt32(number) }
      let titles = SaveWorkload.songs(after: saveCount).suffix(5).map(SaveWorkload.title)
      playlists = ["latest": titles, "reversed": titles.reversed()]
      nodes = (1...saveCount).map { "node \($0)" }
      favourites = titles
    }

    /// What the store holds now.
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
    }
  }

  /// Makes save `number` in a store that holds the one before.
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
    try store.writeNamedBuffer("save count") { $0.writeUInt64(UInt64(number)) }
    try store.saveChanges(durability: durability)
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

  /// The numbers of the songs that are there, in the order of their insertion.
  private static func songs(after saveCount: Int) -> ClosedRange<Int> { max(1, saveCount - 19)...saveCount }

  private static func title(_ number: Int) -> String {
    "song \(number) " + String(repeating: "é", count: number % 13 == 0 ? 5_000 : number % 50)
  }
}
