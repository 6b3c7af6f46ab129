/// Returns the table of one workload: medians with minimum and maximum, and each subject's ratio to Todana.
public func reportTable(of workload: any Workload, _ measurements: [SpeedMeasurement]) -> String {
  let count = measurements.first?.count ?? 0
  let repetitions = measurements.map(\.repetition).max() ?? 0
  let heading = "\(workload.id) \(workload.name): \(workload.summary(count: count))"
  let note = repetitions == 1 ? "1 repetition" : "medians of \(repetitions) repetitions (minimum–maximum)"
  return "\(heading)\n\(note)\n" + reportTable(measurements)
}

/// Returns the table without its heading.
///
/// Subjects are in the order of their first measurement.
public func reportTable(_ measurements: [SpeedMeasurement], ours: String = "todana") -> String {
  var names: [String] = []
  for measurement in measurements where !names.contains(measurement.subject) { names.append(measurement.subject) }
  let hasLaps = measurements.contains { $0.p50Microseconds != nil }
  let hasApparent = measurements.contains { $0.apparentDiskBytes != nil }
  let base = SubjectSummary(measurements.filter { $0.subject == ours })
  var rows = [["subject", "CPU", "× \(ours)", "wall", "× \(ours)"]]
  if hasLaps { rows[0] += ["p50", "p99"] }
  rows[0] += ["memory", "file memory", hasApparent ? "disk (apparent)" : "disk"]
  for name in names {
    guard let summary = SubjectSummary(measurements.filter { $0.subject == name }) else { continue }
    var row = [name, durationText(summary.cpu), ratioText(summary.cpu, base?.cpu)]
    row += [durationText(summary.wall), ratioText(summary.wall, base?.wall)]
    if hasLaps { row += [summary.p50, summary.p99].map { $0.map(microsecondsText) ?? "–" } }
    row += [megabytesText(summary.anonymous.median), megabytesText(summary.file.median)]
    let apparent = summary.apparentDisk.map { " (\(megabytesText($0.median)))" } ?? ""
    row.append(megabytesText(summary.disk.median) + apparent)
    rows.append(row)
  }
  return aligned(rows)
}

private struct SubjectSummary {
  let wall: Spread
  let cpu: Spread
  let anonymous: Spread
  let file: Spread
  let disk: Spread
  let apparentDisk: Spread?
  let p50: Spread?
  let p99: Spread?

  init?(_ measurements: [SpeedMeasurement]) {
    guard let wall = Spread(measurements.map(\.wallSeconds)), let cpu = Spread(measurements.map(\.cpuSeconds)),
      let anonymous = Spread(measurements.map { Double($0.peakBytes) }),
      let file = Spread(measurements.map { Double($0.peakFileBytes) }),
      let disk = Spread(measurements.map { Double($0.diskBytes) })
    else { return nil }
    self.wall = wall
    self.cpu = cpu
    self.anonymous = anonymous
    self.file = file
    self.disk = disk
    apparentDisk = Spread(measurements.compactMap { $0.apparentDiskBytes.map(Double.init) })
    p50 = Spread(measurements.compactMap(\.p50Microseconds))
    p99 = Spread(measurements.compactMap(\.p99Microseconds))
  }
}

/// Formats a duration in seconds, or in milliseconds if it is below a tenth of a second.
package func durationText(_ spread: Spread) -> String {
  let isLong = spread.median >= 0.1
  let factor = isLong ? 1.0 : 1000
  let text = { (seconds: Double) in decimal(seconds * factor, places: 2) }
  let unit = isLong ? "s" : "ms"
  guard spread.minimum < spread.maximum else { return "\(text(spread.median)) \(unit)" }
  return "\(text(spread.median)) \(unit) (\(text(spread.minimum))–\(text(spread.maximum)))"
}

func microsecondsText(_ spread: Spread) -> String { "\(decimal(spread.median, places: 0)) µs" }

package func megabytesText(_ bytes: Double) -> String { "\(decimal(bytes / 1e6, places: 1)) MB" }

package func ratioText(_ spread: Spread, _ base: Spread?) -> String {
  guard let base, base.median > 0 else { return "–" }
  return decimal(spread.median / base.median, places: 2)
}

/// Formats a number with a number of decimal places.
package func decimal(_ value: Double, places: Int) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((value.magnitude * scale).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard places > 0 else { return sign + "\(scaled)" }
  let fraction = String(scaled % Int(scale))
  let zeros = String(repeating: "0", count: places - fraction.count)
  return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
}

/// Formats a whole number with commas between groups of three digits.
public func grouped(_ value: Int) -> String {
  var text = ""
  for (index, digit) in String(value).reversed().enumerated() {
    if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}

/// Formats rows as columns of equal width.
///
/// The first column is aligned left, the others right.
package func aligned(_ rows: [[String]]) -> String {
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    row.enumerated().map { column, cell in
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      return column == 0 ? cell + padding : padding + cell
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}
