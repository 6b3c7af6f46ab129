import ArgumentParser

/// The options of both speed tests.
struct SpeedTestOptions: ParsableArguments {
  @Option(help: "Songs; smaller workloads take a share of it.")
  var count = 1_000_000

  @Option(help: ArgumentHelp("Workloads to run, with commas between them.", valueName: "ids"))
  var workloads: String?

  @Option(
    help: ArgumentHelp(
      "What to measure beside Todana, with commas between; \"none\" for nothing. All that are built if left out.",
      valueName: "names"))
  var peers: String?

  @Option(
    help: ArgumentHelp(
      "Where the databases are made, on the disk to be measured. The current directory if left out.", valueName: "path")
  )
  var directory = "."

  @Option(help: "How often each subject does each workload.")
  var repetitions = 5

  @Flag(help: "Also measure encrypted stores, as one more subject.")
  var encrypted = false

  @Option(
    help: ArgumentHelp(
      "Real titles, one a line, instead of \"Test Song\"; repeated when the file is shorter than the count.",
      valueName: "file"))
  var titles: String?

  @Flag(help: "Print one JSON array and nothing else.")
  var json = false

  /// The most songs whose numbers fit in four bytes.
  static let maximumCount = 1_000_000_000

  func validate() throws {
    guard (1...Self.maximumCount).contains(count) else {
      throw ValidationError("--count is between 1 and \(Self.maximumCount).")
    }
    guard repetitions >= 1 else { throw ValidationError("--repetitions is at least 1.") }
  }

  /// Returns the requested workloads, in the order of the program's list.
  func selectedWorkloads(from all: [any Workload]) throws(SpeedTestError) -> [any Workload] {
    guard let workloads else { return all }
    let names = workloads.split(separator: ",").map { $0.trimmingSpaces().lowercased() }
    for name in names where !all.contains(where: { $0.answers(to: name) }) {
      let known = all.map { "\($0.id) (\($0.name))" }.joined(separator: ", ")
      throw .wrongUse("--workloads: there is no \"\(name)\" here; known are \(known).")
    }
    guard !names.isEmpty else { throw .wrongUse("--workloads names no workload.") }
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
      throw .wrongUse("--peers: there is no \"\(name)\" here; built are \(list).")
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
