/// The positions in a path that the way to a value may have reached.
///
/// Through `**`, several ways lead to one value, each with other steps left. Following all of them at once visits and
/// finds each value once, in time proportional to the values and the steps.
struct PathPositions {
  private let steps: ArraySlice<DocumentPath.Step>
  /// The bits of the first 64 positions, so that ordinary paths need no array.
  private var first: UInt64
  private var others: [UInt64]

  /// Makes the positions at the value where a path begins.
  init(_ steps: ArraySlice<DocumentPath.Step>) {
    self.steps = steps
    first = 1
    others = Array(repeating: 0, count: steps.count / 64)
  }

  private mutating func insert(_ position: Int) {
    if position < 64 {
      first |= 1 << UInt64(position)
    } else {
      others[position / 64 - 1] |= 1 << UInt64(position % 64)
    }
  }

  private func contains(_ position: Int) -> Bool {
    let word = position < 64 ? first : others[position / 64 - 1]
    return word >> UInt64(position % 64) & 1 == 1
  }

  var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

  /// Whether the whole path leads to the value.
  var isComplete: Bool { contains(steps.count) }

  /// Adds the positions that are reached without leaving the value.
  mutating func enter(isArray: Bool) {
    for (position, step) in steps.enumerated() where contains(position) {
      switch step {
      case .anyDepth: insert(position + 1)
      case .each where !isArray: insert(position + 1)
      case .each, .key, .index: continue
      }
    }
  }

  /// Returns the positions at an element of an array.
  func element(at index: Int) -> PathPositions {
    next { step in
      switch step {
      case .index(let other): other == index
      case .each: true
      case .key, .anyDepth: false
      }
    }
  }

  /// Returns the positions at a value of a dictionary, by a test of its key.
  func entry(hasKey: (String) -> Bool) -> PathPositions {
    next { step in
      switch step {
      case .key(let key): hasKey(key)
      case .index, .each, .anyDepth: false
      }
    }
  }

  private func next(_ leadsThere: (DocumentPath.Step) -> Bool) -> PathPositions {
    var next = self
    next.first = 0
    for word in others.indices { next.others[word] = 0 }
    for (position, step) in steps.enumerated() where contains(position) {
      if step.isAnyDepth {
        next.insert(position)
      } else if leadsThere(step) {
        next.insert(position + 1)
      }
    }
    return next
  }
}
