import ArgumentParser

/// The options of both speed tests.
struct SpeedTestOptions: ParsableArguments {
  @Option(help: "The number of songs; smaller workloads use a fraction of it.")
  var count = 1_000_000

  @Option(help: ArgumentHelp("The workloads to run, separated by commas; by default, all.", valueName: "ids"))
  var workloads: String?

  @Option(
    help: ArgumentHelp(
      "The other databases to measure, separated by commas, or \"none\"; by default, all that are built.",
      valueName: "names"))
  var peers: String?

  @Option(
    help: ArgumentHelp(
      "The directory for the databases, on the disk to be measured; by default, the current directory.",
      valueName: "path"))
  var directory = "."

  @Option(help: "The number of runs of each workload with each database.")
  var repetitions = 5

  @Flag(help: "Also measure encrypted stores, as another database.")
  var encrypted = false

  @Option(
    help: ArgumentHelp(
      "A file of titles, one per line, to use instead of \"Test Song\"; repeated if there are too few.",
      valueName: "file"))
  var titles: String?

  @Flag(help: "Print the results as one JSON array.")
  var json = false

  /// The maximum number of songs: their numbers must fit in four bytes.
  static let maximumCount = 1_000_000_000

  func validate() throws {
    guard (1...Self.maximumCount).contains(count) else {
      throw ValidationError("--count must be from 1 to \(Self.maximumCount).")
    }
    guard repetitions >= 1 else { throw ValidationError("--repetitions must be at least 1.") }
  }

  /// Returns the requested workloads, in the order of the program's list.
  func selectedWorkloads(from all: [any Workload]) throws(SpeedTestError) -> [any Workload] {
    guard let workloads else { return all }
    let names = workloads.split(separator: ",").map { $0.trimmingSpaces().lowercased() }
    for name in names where !all.contains(where: { $0.answers(to: name) }) {
      let known = all.map { "\($0.id) (\($0.name))" }.joined(separator: ", ")
      throw .wrongUse("--workloads: \"\(name)\" is unknown; use some of \(known).")
    }
    guard !names.isEmpty else { throw .wrongUse("--workloads: name at least one workload.") }
    return all.filter { workload in names.contains { workload.answers(to: $0) } }
  }

  /// Returns Todana, if it is built, and the requested peers.
  func selectedSubjects(
    from all: [any Subject], ours: String = "todana"
  ) throws(SpeedTestError) -> [any Subject] {
    let all = encrypted ? all : all.filter { $0.name != "\(ours)-encrypted" }
    guard let peers else { return all }
    let names = peers.split(separator: ",").map { $0.trimmingSpaces().lowercased() }.filter { $0 != "none" }
    let known = all.map(\.name)
    for name in names where !known.contains(name) {
      let list = known.filter { !$0.hasPrefix(ours) }.joined(separator: ", ")
      throw .wrongUse("--peers: \"\(name)\" is not built; use some of \(list), or none.")
    }
    return all.filter { $0.name.hasPrefix(ours) || names.contains($0.name) }
  }
}

extension Workload {
  /// Tests whether a name is the workload's id or name; "W10" stands for all of its variants.
  func answers(to lowercasedName: String) -> Bool {
    id.lowercased() == lowercasedName || name.lowercased() == lowercasedName
      || id.lowercased().hasPrefix(lowercasedName + "-")
  }
}

extension Substring {
  func trimmingSpaces() -> Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
