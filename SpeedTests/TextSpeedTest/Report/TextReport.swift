import SpeedTestHarness

/// The tables of a run, in Markdown.
struct TextReport {
  let corpus: TextCorpus
  let measurements: [TextMeasurement]
  let check: CountCheck

  private static let ours = "todana"

  var text: String {
    let parts = [corpus.summary, builds, queries, counts, saves, notes].filter { !$0.isEmpty }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private func all(_ part: TextMeasurement.Part) -> [TextMeasurement] { measurements.filter { $0.part == part } }

  /// The names of the subjects that were measured, in their order.
  private var subjects: [String] { all(.build).map(\.subject) }

  private func query(_ id: String, _ subject: String) -> TextMeasurement? {
    measurements.first { $0.query == id && $0.subject == subject }
  }

  // MARK: Tables

  private var builds: String {
    let rowsOnly = all(.build).first { $0.subject == TextSubjectList.reference }?.diskBytes
    let base = all(.build).first { $0.subject == Self.ours }
    var rows = [
      ["build", "texts", "CPU", "× todana", "wall", "memory", "file memory", "disk", "of it index", "version"]
    ]
    for build in all(.build) {
      // Encrypted rows take more space than plain ones.
      let isPlain = TextSubjectList.all.contains { $0.name == build.subject && $0.isOurs && !$0.isEncrypted }
      let texts = isPlain ? rowsOnly : build.rowBytes
      let index = texts.flatMap { texts in build.diskBytes.map { $0 - texts } }
      rows.append([
        build.subject, grouped(build.count), seconds(build.cpuSeconds),
        base?.count == build.count ? ratio(build.cpuSeconds, base?.cpuSeconds) : "–", seconds(build.wallSeconds),
        megabytes(build.peakBytes), megabytes(build.peakFileBytes), megabytes(build.diskBytes), megabytes(index),
        build.version ?? "",
      ])
    }
    return markdown(rows)
  }

  /// The CPU time of each query.
  private var queries: String {
    var rows = [["milliseconds of CPU"] + subjects]
    for wanted in TextQuery.all {
      rows.append(
        [wanted.title]
          + subjects.map { subject in
            guard let found = query(wanted.id, subject), found.isUnsupported != true else { return "–" }
            guard found.error == nil, let median = found.cpuSeconds else { return "failed" }
            var cell = milliseconds(median)
            if wanted.result == .top, found.repetitions > 1, let p99 = found.p99CPUSeconds {
              cell += " (\(milliseconds(p99)))"
            }
            return cell + (found.readsAll == true ? " all" : "")
          })
    }
    return markdown(rows)
      + "\n\nMedians of all runs, and in parentheses the 99th percentiles. “all”: reads all texts. “–”: has no such query."
  }

  /// The number of texts that each subject found.
  private var counts: String {
    var rows = [["texts found"] + subjects]
    for wanted in TextQuery.all {
      rows.append(
        [wanted.title]
          + subjects.map { subject in
            guard let found = query(wanted.id, subject), found.isUnsupported != true else { return "–" }
            guard let count = found.hitCount else { return "failed" }
            return grouped(count) + expectation(of: found)
          })
    }
    for wanted in TextQuery.all where wanted.result == .top {
      rows.append(
        ["\(wanted.title): in todana's"]
          + subjects.map { subject in
            guard let rows = query(wanted.id, subject)?.rows, let ours = query(wanted.id, Self.ours)?.rows,
              query(wanted.id, subject)?.count == query(wanted.id, Self.ours)?.count
            else { return "–" }
            return "\(Set(rows).intersection(ours).count) of \(ours.count)"
          })
    }
    return markdown(rows)
  }

  /// Returns the expected count in parentheses if another number was found.
  private func expectation(of found: TextMeasurement) -> String {
    guard let id = found.query, let expected = query(id, TextSubjectList.reference) else { return "" }
    let count = found.count == expected.count ? expected.hitCount : expected.scaledHitCount
    return count == found.hitCount ? "" : " (\(grouped(count ?? 0)))"
  }

  private var saves: String {
    guard !all(.save).isEmpty else { return "" }
    var rows = [["durable saves of one text", "saves", "p50", "p99", "CPU", "bytes of the log"]]
    for save in all(.save) {
      rows.append([
        save.subject, grouped(save.repetitions), microseconds(save.wallSeconds), microseconds(save.p99WallSeconds),
        microseconds(save.cpuSeconds), save.logBytesPerSave.map { decimal($0, places: 0) } ?? "–",
      ])
    }
    return markdown(rows)
  }

  private var notes: String {
    var lines = check.notes.map { "- \($0.subject) \($0.reason)." }
    if !lines.isEmpty {
      lines.insert("Reasons for other counts than the expected ones, which are in parentheses:\n", at: 0)
    }
    let scaled = Set(all(.build).map(\.count)).count > 1
    if scaled { lines.append("\nSubjects with fewer texts take too long for all; their times cannot be compared.") }
    return lines.joined(separator: "\n")
  }

  // MARK: Cells

  private func seconds(_ value: Double?) -> String { value.map { "\(decimal($0, places: 2)) s" } ?? "–" }

  private func milliseconds(_ value: Double) -> String {
    decimal(value * 1e3, places: value < 1e-3 ? 3 : value < 0.1 ? 2 : 0)
  }

  private func microseconds(_ value: Double?) -> String { value.map { "\(decimal($0 * 1e6, places: 0)) µs" } ?? "–" }

  private func megabytes(_ value: Int?) -> String { value.map { megabytesText(Double($0)) } ?? "–" }

  private func ratio(_ value: Double?, _ base: Double?) -> String {
    guard let value, let base, base > 0 else { return "–" }
    return decimal(value / base, places: 2)
  }
}

/// Returns a table in Markdown with columns of equal width; the first row is its head.
func markdown(_ rows: [[String]]) -> String {
  guard let head = rows.first else { return "" }
  let widths = head.indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
  let lines = rows.map { row in
    let cells = row.enumerated().map { column, cell in
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      return column == 0 ? cell + padding : padding + cell
    }
    return "| " + cells.joined(separator: " | ") + " |"
  }
  let rule = widths.enumerated().map { column, width in
    column == 0 ? String(repeating: "-", count: width + 2) : String(repeating: "-", count: width + 1) + ":"
  }
  return ([lines[0], "|" + rule.joined(separator: "|") + "|"] + lines.dropFirst()).joined(separator: "\n")
}
