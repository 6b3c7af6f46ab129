/// One job that every subject does, in a process of its own.
public protocol Workload: Sendable {
  /// The short name in `--workloads` and in results, such as "W1".
  var id: String { get }

  /// The name behind it, such as "SimpleInsert"; `--workloads` takes it as well.
  var name: String { get }

  /// What is done, with the numbers that `--count` gives: the heading of the table.
  func summary(count: Int) -> String

  /// What must be in the database before; nil starts with an empty directory.
  var preparation: Preparation? { get }

  /// Whether the job changes the database: then each repetition works on a copy of what was prepared, and what it
  /// left behind is verified in another process.
  var changesData: Bool { get }

  /// Measured beside the subjects, as a limit.
  var references: [any Subject] { get }

  /// Whether the files are put out of the page cache before.
  var startsUncached: Bool { get }

  /// Does the job and checks what it read; calls the meter around what counts.
  func run(_ trial: Trial, meter: Meter) throws

  /// Reads everything back and checks it.
  func verify(_ trial: Trial) throws
}

extension Workload {
  public var preparation: Preparation? { nil }
  public var changesData: Bool { false }
  public var references: [any Subject] { [] }
  public var startsUncached: Bool { false }
  public func verify(_ trial: Trial) throws {}
}

/// What one process works with.
public struct Trial: Sendable {
  public let subject: any Subject
  public let directory: String
  /// The value of `--count`; a workload takes its share of it.
  public let count: Int
  /// From `--titles`; "Test Song" alone without.
  public let titles: [String]
  /// Whether the titles came from a file.
  public let hasRealTitles: Bool

  public init(
    subject: any Subject, directory: String, count: Int, titles: [String]?
  ) {
    self.subject = subject
    self.directory = directory
    self.count = count
    self.titles = titles ?? ["Test Song"]
    hasRealTitles = titles != nil
  }

  /// As many songs as `--count` says.
  public var songs: SongSource { SongSource(count: count, titles: titles) }

  /// A tenth of it.
  public var tenthOfSongs: SongSource { SongSource(count: tenth(of: count), titles: titles) }

  /// As many songs as `--count` says, about a hundred of each number of seconds.
  public var songsToIndex: SongSource {
    SongSource(count: count, titles: titles, secondsBound: UInt32(max(1, count / 100)))
  }
  /// A tenth of the songs, in playlists of a hundred.
  public var playlists: PlaylistSource {
    PlaylistSource(songCount: tenth(of: count), titles: titles, isNumbered: !hasRealTitles)
  }

  /// A buffer for each hundred songs.
  public var namedBuffers: NamedBufferSource { NamedBufferSource(count: max(1, count / 100)) }

  /// Fails the run when a subject read something wrong.
  public func expect(_ found: Checksum, _ expected: Checksum, _ what: String) throws(SpeedTestError) {
    guard found == expected else {
      throw .wrongResult("\(subject.name) read \(what) wrongly: \(found) instead of \(expected)")
    }
  }
}

/// The share of `--count` that the smaller workloads take.
public func tenth(of count: Int) -> Int { max(1, count / 10) }

/// What is put into a database before anything is measured; workloads with the same name share it.
public struct Preparation: Sendable {
  public let name: String
  /// Whether the process is killed half-way through the save that it announces.
  public let isKilledInSave: Bool
  /// What this one starts from.
  public let basis: [Preparation]
  public let run: @Sendable (_ trial: Trial, _ beforeSave: () -> Void) throws -> Void

  public init(
    name: String, basis: Preparation? = nil, isKilledInSave: Bool = false,
    run: @escaping @Sendable (_ trial: Trial, _ beforeSave: () -> Void) throws -> Void
  ) {
    self.name = name
    self.basis = basis.map { [$0] } ?? []
    self.isKilledInSave = isKilledInSave
    self.run = run
  }

  public static let songs = Preparation(name: "songs") { trial, beforeSave in
    try trial.subject.insertSongs(trial.songs, in: trial.directory, beforeSave: beforeSave)
  }

  public static let tenthOfSongs = Preparation(name: "tenth-of-songs") { trial, beforeSave in
    try trial.subject.insertSongs(trial.tenthOfSongs, in: trial.directory, beforeSave: beforeSave)
  }

  public static let indexedSongs = Preparation(name: "indexed-songs") { trial, _ in
    try trial.subject.insertSongs(trial.songsToIndex, indexes: .seconds, in: trial.directory)
  }
  public static let playlists = Preparation(name: "playlists") { trial, _ in
    try trial.subject.insertPlaylists(trial.playlists, in: trial.directory)
  }

  public static let namedBuffers = Preparation(name: "named-buffers") { trial, _ in
    try trial.subject.insertNamedBuffers(trial.namedBuffers, in: trial.directory)
  }
}
