import SpeedTestHarness

/// The comparison of all counts with those of the subject that reads all objects.
struct CountCheck {
  /// The differences that the rules of a subject explain: a note for each subject and reason.
  private(set) var notes: [(subject: String, reason: String)] = []
  /// The differences that nothing explains.
  private(set) var failures: [String] = []

  init(_ measurements: [TextMeasurement]) {
    let queries = measurements.filter { $0.part == .query && $0.error == nil && $0.isUnsupported != true }
    let reference = queries.filter { $0.subject == TextSubjectList.reference }
    for entry in TextSubjectList.all where entry.name != TextSubjectList.reference {
      for found in queries where found.subject == entry.name {
        guard let expected = reference.first(where: { $0.query == found.query }) else { continue }
        check(found, expected, entry)
      }
    }
  }

  private mutating func check(_ found: TextMeasurement, _ expected: TextMeasurement, _ entry: TextSubjectEntry) {
    let query = TextQuery.all.first { $0.id == found.query }
    let wanted = found.count == expected.count ? expected.hitCount : expected.scaledHitCount
    if found.hitCount != wanted {
      let counts = "\(found.hitCount ?? 0) instead of \(wanted ?? 0)"
      if let query, let reason = entry.differences[query.kind] {
        if !notes.contains(where: { $0.subject == entry.name && $0.reason == reason }) {
          notes.append((entry.name, reason))
        }
      } else {
        failures.append("\(entry.name) found \(counts) texts for \(found.query ?? "")")
      }
    }
    guard entry.isOurs else { return }
    if found.rows != expected.rows {
      failures.append(
        "\(entry.name) found other texts for \(found.query ?? ""): \(found.rows ?? []) instead of \(expected.rows ?? [])"
      )
    }
    if found.fetchedByteCount != expected.fetchedByteCount {
      failures.append("\(entry.name) fetched other texts for \(found.query ?? "")")
    }
  }
}
