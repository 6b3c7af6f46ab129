import CXXHash

/// The last known states of the records that were read or saved last.
///
/// Memory is limited: a program may read any number of names, present or not. States are forgotten in two steps, so
/// that a state is known for at least ``limit`` other buffers after it was noted.
struct RecentStates {
  static let limit = 1 << 15

  private var newer = StateTable()
  private var older = StateTable()

  subscript(_ name: NamedBuffers.Name) -> WriteBatch.Expectation? {
    let digest = StateTable.Digest(of: name)
    return if let noted = newer[digest] { noted.state } else { older[digest]?.state }
  }

  /// Makes room for the states of some more buffers.
  mutating func reserve(_ count: Int) { newer.reserve(min(newer.count + count, Self.limit)) }

  /// Notes the state of a record, and forgets the oldest ones, except those of some buffers.
  mutating func set(
    _ state: WriteBatch.Expectation?, for name: NamedBuffers.Name, keeping kept: some Collection<NamedBuffers.Name>
  ) {
    newer.set(state, for: StateTable.Digest(of: name))
    // The kept buffers are moved at most once for each of them that was noted.
    guard newer.count > max(Self.limit, 2 * kept.count) else { return }
    for name in kept {
      let digest = StateTable.Digest(of: name)
      if newer[digest] == nil, let noted = older[digest] { newer.set(noted.state, for: digest) }
    }
    older = newer
    newer = StateTable()
  }
}

/// A hash table of states by the digests of names, with linear probing.
///
/// A dictionary with names as keys would take half of the time to read a small buffer: for hashing, for counting
/// references, and for the runtime's search for conformances when a process first makes a dictionary of a type.
private struct StateTable {
  /// The XXH3-128 of a name.
  ///
  /// Different names with the same digest are practically impossible.
  struct Digest: Equatable {
    let high: UInt64
    let low: UInt64

    init(of name: NamedBuffers.Name) {
      let hash = unsafe name.withBytes { bytes in unsafe XXH_INLINE_XXH3_128bits(bytes.baseAddress, bytes.count) }
      high = hash.high64
      low = hash.low64
    }
  }

  struct Slot {
    let digest: Digest
    /// The state; nil if it was forgotten after it had been known.
    var state: WriteBatch.Expectation?
  }

  private var slots: [Slot?] = []
  private(set) var count = 0

  /// The slot of a name, or nil if no state was noted.
  subscript(_ digest: Digest) -> Slot? { slots.isEmpty ? nil : slots[place(of: digest)] }

  mutating func set(_ state: WriteBatch.Expectation?, for digest: Digest) {
    reserve(count + 1)
    let place = place(of: digest)
    if slots[place] == nil { count += 1 }
    slots[place] = Slot(digest: digest, state: state)
  }

  /// Makes room for a number of states.
  ///
  /// At least a quarter of the slots stays empty.
  mutating func reserve(_ wanted: Int) {
    guard wanted * 4 > slots.count * 3 else { return }
    var capacity = max(64, slots.count)
    while wanted * 4 > capacity * 3 { capacity *= 4 }
    let former = slots
    slots = Array(repeating: nil, count: capacity)
    for case let slot? in former { slots[place(of: slot.digest)] = slot }
  }

  /// The place of a name's slot, or of the empty one that it gets.
  private func place(of digest: Digest) -> Int {
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: digest.low) & mask
    while let slot = slots[place], slot.digest != digest { place = (place + 1) & mask }
    return place
  }
}
