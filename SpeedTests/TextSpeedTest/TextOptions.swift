import ArgumentParser
import SpeedTestHarness

/// The options of the program.
struct TextOptions: ParsableArguments {
  @Option(help: "The number of texts; by default 1,000,000, or 20,000 with --documents.")
  var count: Int?

  @Option(help: ArgumentHelp("A file of texts, one a line.", valueName: "file"))
  var corpus: String?

  @Option(
    help: ArgumentHelp(
      """
      A directory of documents, which are cut into texts of about 5 kB; also of compressed ones. Can be given several \
      times.
      """, valueName: "path"))
  var documents: [String] = []

  @Option(
    help: ArgumentHelp(
      "The other indexes to measure, separated by commas, or \"none\"; by default, all that are installed.",
      valueName: "names"))
  var peers: String?

  @Option(
    help: ArgumentHelp(
      "The directory for the databases, on the disk to be measured; by default, the current directory.",
      valueName: "path"))
  var directory = "."

  @Option(help: "The number of runs of each query.")
  var repetitions = 5

  @Option(help: "The number of runs of each query for the 10 most relevant texts.")
  var topRepetitions = 200

  @Option(help: ArgumentHelp("The longest time for the runs of one query.", valueName: "seconds"))
  var secondsPerQuery = 10.0

  @Option(help: "The number of durable saves of one text each.")
  var saves = 1000

  @Option(help: ArgumentHelp("The longest time for all saves of a subject.", valueName: "seconds"))
  var secondsOfSaves = 20.0

  @Option(help: "The number of texts of subjects that take too long for all; by default a fifth.")
  var scaledCount: Int?

  @Option(
    help: ArgumentHelp(
      "The Python interpreters that are asked for the peers' modules, separated by commas.", valueName: "paths"))
  var python = "python3,/usr/bin/python3"

  @Flag(help: "Also measure encrypted stores, as another subject.")
  var encrypted = false

  @Flag(help: "Print the results as one JSON array.")
  var json = false

  func validate() throws {
    guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count must be at least 1.") }
    guard repetitions > 0, topRepetitions > 0 else {
      throw ValidationError("--repetitions and --top-repetitions must be at least 1.")
    }
    guard saves >= 0 else { throw ValidationError("--saves must not be negative.") }
    guard scaledCount.map({ $0 > 0 }) ?? true else { throw ValidationError("--scaled-count must be at least 1.") }
    guard corpus == nil || documents.isEmpty else {
      throw ValidationError("--corpus and --documents cannot be used together.")
    }
  }

  /// Returns the subjects of Todana, and the requested peers.
  func subjects() throws(SpeedTestError) -> [TextSubjectEntry] {
    let known = TextSubjectList.all.filter { encrypted || !$0.isEncrypted }
    guard let peers else { return known }
    let names = peers.split(separator: ",").map(String.init).filter { $0 != "none" }
    let others = known.filter { !$0.isOurs }.map(\.name)
    for name in names where !others.contains(name) {
      throw .wrongUse("--peers: \"\(name)\" is unknown; use some of \(others.joined(separator: ", ")), or none.")
    }
    return known.filter { $0.isOurs || names.contains($0.name) }
  }

  /// Writes the texts to a file.
  func corpus(at path: String) throws -> TextCorpus {
    let writer = try CorpusWriter(path: path, most: count ?? (documents.isEmpty ? 1_000_000 : 20_000))
    if let corpus {
      try writer.addLines(of: corpus)
      return try writer.finish(origin: corpus)
    }
    if !documents.isEmpty {
      for directory in documents { try writer.addDocuments(in: directory) }
      return try writer.finish(origin: documents.joined(separator: ", "))
    }
    try GeneratedCorpus(count: writer.most).write(to: writer)
    return try writer.finish(origin: "pseudorandom titles")
  }
}
