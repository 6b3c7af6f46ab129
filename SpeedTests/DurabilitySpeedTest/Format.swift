import Foundation

func numbers(in text: String) -> [Int] { text.split(separator: ",").compactMap { Int($0) } }

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func inSeconds(_ duration: Duration) -> Double {
  let (seconds, attoseconds) = duration.components
  return Double(seconds) + Double(attoseconds) * 1e-18
}

func milliseconds(_ duration: Duration) -> String { String(format: "%.1f ms", inSeconds(duration) * 1e3) }

func microseconds(_ seconds: Double?) -> String { seconds.map { String(format: "%.0f µs", $0 * 1e6) } ?? "-" }
