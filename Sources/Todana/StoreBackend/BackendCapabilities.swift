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
  public var durabilityLevels: Set<Durability>

  public init(hasAtomicVisibility: Bool, notifiesOfChanges: Bool, durabilityLevels: Set<Durability>) {
    self.hasAtomicVisibility = hasAtomicVisibility
    self.notifiesOfChanges = notifiesOfChanges
    self.durabilityLevels = durabilityLevels
  }

  /// Whether anything outlives the process.
  public var isDurable: Bool { !durabilityLevels.isEmpty }
}
