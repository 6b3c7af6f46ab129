import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A counter of running calls that can be shut permanently once none is running.
///
/// Entering and leaving cost one atomic addition each.
struct CallGate: ~Copyable, Sendable {
  /// The number of running calls; the highest bit is set once the gate is shut.
  private let state = Atomic<UInt64>(0)

  private static var shutBit: UInt64 { 1 << 63 }

  /// Counts a call as running; returns false, with nothing counted, after the gate was shut.
  func enter() -> Bool {
    let before = state.wrappingAdd(1, ordering: .acquiring).oldValue
    guard before & Self.shutBit == 0 else {
      leave()
      return false
    }
    return true
  }

  var isShut: Bool { state.load(ordering: .relaxed) & Self.shutBit != 0 }

  func leave() { state.wrappingSubtract(1, ordering: .releasing) }

  /// Refuses all further calls, without waiting for running ones.
  func shutWithoutWaiting() { state.bitwiseOr(Self.shutBit, ordering: .acquiringAndReleasing) }

  /// Refuses all further calls, and waits until the last running one has left.
  func shut() {
    var before = state.bitwiseOr(Self.shutBit, ordering: .acquiringAndReleasing).oldValue
    var pauseMicroseconds: UInt32 = 10
    while before & ~Self.shutBit != 0 {
      usleep(pauseMicroseconds)
      pauseMicroseconds = min(pauseMicroseconds * 2, 1_000)
      before = state.load(ordering: .acquiring)
    }
  }
}
