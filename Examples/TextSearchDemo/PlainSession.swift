import Todana

/// Answers one search for each line of the standard input.
struct PlainSession {
  let library: StoreActor
  let resultCount: Int

  func run() async throws {
    while let text = readLine() {
      let search = Search(text: text)
      let limit = resultCount
      let (best, count, facets, suggestions) = try await library.perform { store in
        (
          try store.best(of: search, limit: limit, columns: 1000), try store.count(of: search),
          try store.facets(of: search), try store.suggestions(of: search, limit: 5)
        )
      }
      var lines = ["\(formatted(count.value)) \(count.value == 1 ? "hit" : "hits") for \"\(text)\""]
      lines += best.value.map { "  " + $0.plain }
      for facet in facets.value where !facet.values.isEmpty {
        let values = facet.values.map { "\($0.choice) \(formatted($0.count))" }
        lines.append("\(facet.name.rawValue): " + values.joined(separator: ", "))
      }
      if !suggestions.value.isEmpty {
        let words = suggestions.value.map { "\($0.text) \(formatted($0.count))" }
        lines.append("Suggestions: " + words.joined(separator: ", "))
      }
      let times = [
        "Results in \(formatted(best.duration))", "count in \(formatted(count.duration))",
        "facets in \(formatted(facets.duration))", "suggestions in \(formatted(suggestions.duration))",
      ]
      lines.append(times.joined(separator: ", "))
      guard StandardStreams.write(lines.joined(separator: "\n") + "\n\n") else { return }
    }
  }
}
