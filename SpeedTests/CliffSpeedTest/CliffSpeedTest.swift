import ArgumentParser
import Foundation
import Todana

/// Measures work of growing size, to show costs that grow faster than the work.
@main struct CliffSpeedTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure work of three sizes, each ten times the one before, and print how its cost grows.",
    discussion: """
      A factor of 10 means that the cost grows as the work does; a factor of 1, that it does not depend on the size. \
      Costs are CPU time of all threads, the median of several runs.
      """)

  @Option(help: "The directory for the stores, on the disk to be measured.") var directory = "."
  @Option(help: "The ids of the measurements, separated by commas, as --list prints them; all if missing.")
  var only: String?
  @Option(help: "The largest size is divided by this number.") var divisor = 1
  @Option(help: "The number of runs of each measurement.") var repetitions = 3
  @Flag(help: "Print the measurements, and measure nothing.") var list = false

  func validate() throws {
    guard divisor > 0, repetitions > 0 else { throw ValidationError("Divisor and repetitions must be at least 1.") }
    for id in wanted ?? [] where !Cliff.all.contains(where: { $0.id == id }) {
      throw ValidationError("There is no measurement “\(id)”: --list prints all.")
    }
  }

  private var wanted: [String]? { only?.split(separator: ",").map(String.init) }

  func run() throws {
    let cliffs = Cliff.all.filter { wanted?.contains($0.id) ?? true }
    if list {
      for cliff in cliffs { print("\(cliff.id.padding(toLength: 12, withPad: " ", startingAt: 0)) \(cliff.title)") }
      return
    }
    print("measurement   unit          largest n          n       10 n      100 n   ×      ×   what")
    for cliff in cliffs { try print(row(of: cliff)) }
  }

  private func row(of cliff: Cliff) throws -> String {
    let largest = max(1_000, cliff.largest / divisor)
    let values = try [largest / 100, largest / 10, largest].map { size in
      let runs = try (0..<repetitions).map { _ in try measure(cliff, size) }.sorted()
      return runs[runs.count / 2]
    }
    let factors = [(values[0], values[1]), (values[1], values[2])].map { smaller, larger in
      smaller > 0 ? String(format: "%.1f", larger / smaller) : "-"
    }
    return [
      cliff.id.padding(toLength: 13, withPad: " ", startingAt: 0),
      cliff.unit.padding(toLength: 12, withPad: " ", startingAt: 0), padded("\(largest)", 10),
    ].joined(separator: " ") + values.map { padded(String(format: "%.1f", $0), 11) }.joined()
      + factors.map { padded($0, 7) }.joined() + "  " + cliff.title
  }

  private func measure(_ cliff: Cliff, _ size: Int) throws -> Double {
    let path = directory + "/cliff-" + UUID().uuidString.prefix(8).lowercased()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try cliff.measure(path, size)
  }

  private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
