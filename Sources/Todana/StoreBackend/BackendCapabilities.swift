/// What a backend can do that not every backend can.
///
/// What all can stands in the contract of ``StoreBackend``; a program that may run over several asks here.
public struct BackendCapabilities: Hashable, Sendable {
  /// Whether a commit's changes appear to all readers at one moment: what is read from the newest state after another
  /// record is never older than that one.
  ///
  /// Without it only what is read from a snapshot is sure to be of one commit.
  public var hasAtomicVisibility: Bool
  /// Whether the backend tells its stores of what others commit.
  ///
  /// Without it a store learns of it by asking: ``Store/refresh()``.
  public var notifiesOfChanges: Bool
  /// The levels of durability that it tells apart, in the sense of ``Durability``; every level may be asked for.
  ///
  /// Asking for one that is not among them gives the next stronger one that is. Empty for a backend whose records go
  /// with the process.
  public var durabilityLevels: Set<Durability> {
    get { Set([Durability.full, .relaxed, .bulk].filter { levelBits & Self.bit(of: $0) != 0 }) }
    set { levelBits = newValue.reduce(0) { $0 | Self.bit(of: $1) } }
  }

  // Not a set: making one takes longer than the rest of opening a backend (see `SmallMap`).
  private var levelBits: UInt8 = 0

  public init(hasAtomicVisibility: Bool, notifiesOfChanges: Bool, durabilityLevels: Set<Durability>) {
    self.hasAtomicVisibility = hasAtomicVisibility
    self.notifiesOfChanges = notifiesOfChanges
    self.durabilityLevels = durabilityLevels
  }

  init(hasAtomicVisibility: Bool, notifiesOfChanges: Bool, keepsAllLevels: Bool) {
    self.hasAtomicVisibility = hasAtomicVisibility
    self.notifiesOfChanges = notifiesOfChanges
    levelBits = keepsAllLevels ? Self.bit(of: .full) | Self.bit(of: .relaxed) | Self.bit(of: .bulk) : 0
  }

  /// Whether anything outlives the process.
  public var isDurable: Bool { levelBits != 0 }

  private static func bit(of level: Durability) -> UInt8 { 1 << UInt8(truncatingIfNeeded: level.rawValue) }
}
