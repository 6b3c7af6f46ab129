extension QueryRun {
  /// The plan in plain words.
  var explanation: QueryPlan {
    var steps: [String] = []
    var readsIndexes = true
    let count = Int(plan.expectedCount.rounded())
    let access: QueryPlan.Access
    switch plan.access {
    case .nothing:
      access = .nothing
      steps.append("Nothing is read: the condition cannot be met.")
    case .scan:
      access = .scan
      readsIndexes = false
      if plan.fallback != nil {
        steps.append("Read objects of \(table.name) in the order of their identities.")
        break
      }
      let threads = scansInParallel ? ", \(ThreadPool.usefulCount) threads" : ""
      steps.append("Read all \(count) objects of \(table.name)\(threads).")
    case .rows(let rowIDs):
      access = .identities
      readsIndexes = false
      steps.append("Read \(rowIDs.count == 1 ? "the object" : "\(rowIDs.count) objects") with the given identities.")
    case .index(let part):
      access = .index
      steps.append(describe(part) + (part.isDescending ? ", from the last to the first" : "") + ".")
    case .union(let parts):
      access = .union
      steps.append("Take the union of: " + parts.map(describe).joined(separator: "; ") + ".")
    case .intersection(let parts):
      access = .intersection
      steps.append("Take the intersection of: " + parts.map(describe).joined(separator: "; ") + ".")
    case .text(let text):
      access = .text
      steps.append("Search text index \"\(text.index.name)\", about \(count) objects.")
    }
    var isAlways = false
    if case .always = plan.residual { isAlways = true }
    if !isAlways { steps.append("Keep objects with \(plan.residual.description).") }
    if query.sortsByRelevance { steps.append(relevanceStep) }
    if plan.order == .sorted {
      steps.append("Sort by \(query.sortKeys.map(\.description).joined(separator: ", ")).")
    } else if !query.sortKeys.isEmpty {
      steps.append("Already sorted by \(query.sortKeys.map(\.description).joined(separator: ", ")).")
    }
    if query.offset > 0 { steps.append("Skip the first \(query.offset).") }
    if let limit = query.limit { steps.append("Stop after \(limit).") }
    if let fallback = plan.fallback {
      let rest = fallback.plan.indexes.map { "\"\($0.name)\"" }.joined(separator: ", ")
      let way = rest.isEmpty ? "reading all objects and sorting them" : "index \(rest)"
      steps.append("After \(fallback.testedCount) objects, find the rest by \(way).")
    }
    let indexNames = plan.indexes.map(\.name) + (plan.textIndex.map { [$0.name] } ?? [])
    return QueryPlan(
      access: access, indexNames: indexNames, expectedCount: count, sorts: plan.order == .sorted,
      answersFromIndex: readsIndexes && isAlways && plan.order != .sorted, steps: steps)
  }

  /// The way in which the numbers for the relevance are found.
  private var relevanceStep: String {
    let searches = Relevance(query.condition)?.searches ?? []
    let names = Set(searches.map { TextAccess.index(for: $0, of: table)?.0.name })
    guard names.count == 1, case .some(let name?) = names.first else {
      return "Count the words of all objects of \(table.name)."
    }
    guard isRankedByIndex, let count = query.neededCount else {
      return "Take the numbers of words from text index \"\(name)\"."
    }
    return "Rank by text index \"\(name)\", and read the best \(count)."
  }

  private func describe(_ part: IndexAccess) -> String {
    let count = Int(part.expectedCount.rounded())
    let entries = count == 1 ? "about 1 entry" : "about \(count) entries"
    let places = part.ranges.count == 1 ? "" : " in \(part.ranges.count) places"
    let whole = part.ranges.contains(where: \.isWhole) ? "all of index" : "index"
    return "Read \(whole) \"\(part.index.name)\"\(places), \(entries)"
  }
}
