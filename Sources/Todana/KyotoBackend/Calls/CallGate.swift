import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Counts the calls that are under way, and can be shut for good once none is.
///
/// Costs one atomic addition on entering and one on leaving.
struct CallGate: ~Copyable, Sendable {
  /// Calls under way, and the highest bit once the gate is shut.
  private let state = Atomic<UInt64>(0)

  private static var shutBit: UInt64 { 1 << 63 }

  /// Counts a call in; false, and nothing counted, after the gate was shut.
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

  /// Lets no call enter from now on, and waits until the last one has left.
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
