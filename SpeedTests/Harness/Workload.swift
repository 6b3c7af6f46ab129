/// A task that every subject runs in its own process.
public protocol Workload: Sendable {
  /// The short name in `--workloads` and in results, such as "W1".
  var id: String { get }

  /// The long name, such as "SimpleInsert", which `--workloads` accepts, too.
  var name: String { get }

  /// Returns the heading of the table: a description with the numbers that follow from a `--count`.
  func summary(count: Int) -> String

  /// The content of the database before the workload; nil starts with an empty directory.
  var preparation: Preparation? { get }

  /// Whether the workload changes the database.
  ///
  /// If so, each repetition works on a copy of the prepared database, and another process verifies the result.
  var changesData: Bool { get }

  /// Additional subjects, which show a limit that no library can exceed, such as the speed of the disk.
  var references: [any Subject] { get }

  /// Whether the files are dropped from the page cache before the workload.
  var startsUncached: Bool { get }

  /// Runs the workload and checks the data read.
  ///
  /// Calls the meter around the part to be measured.
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

/// The input of one process.
public struct Trial: Sendable {
  public let subject: any Subject
  public let directory: String
  /// The value of `--count`.
  ///
  /// Some workloads use a share of it.
  public let count: Int
  /// The titles from `--titles`; "Test Song" alone without that option.
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

  /// The songs of a workload: `--count` of them.
  public var songs: SongSource { SongSource(count: count, titles: titles) }

  /// A tenth of `--count` songs.
  public var tenthOfSongs: SongSource { SongSource(count: tenth(of: count), titles: titles) }

  /// Songs for indexes: `--count` of them, about a hundred for each number of seconds.
  public var songsToIndex: SongSource {
    SongSource(count: count, titles: titles, secondsBound: UInt32(max(1, count / 100)))
  }
  /// A tenth of the songs, in playlists of a hundred.
  public var playlists: PlaylistSource {
    PlaylistSource(songCount: tenth(of: count), titles: titles, isNumbered: !hasRealTitles)
  }

  /// One buffer for each hundred songs.
  public var namedBuffers: NamedBufferSource { NamedBufferSource(count: max(1, count / 100)) }

  /// Checks a checksum.
  ///
  /// - Throws: ``SpeedTestError/wrongResult(_:)`` if the subject read wrong data.
  public func expect(_ found: Checksum, _ expected: Checksum, _ what: String) throws(SpeedTestError) {
    guard found == expected else {
      throw .wrongResult("\(subject.name) read wrong data for \(what): checksum \(found) instead of \(expected)")
    }
  }
}

/// Returns the share of `--count` that the smaller workloads use, at least 1.
public func tenth(of count: Int) -> Int { max(1, count / 10) }

/// The content of a database before the measurement.
///
/// Workloads with the same preparation share it by name.
public struct Preparation: Sendable {
  public let name: String
  /// Whether the process is killed during the save that it announces.
  public let isKilledInSave: Bool
  /// The preparation that this one starts from, if any.
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
