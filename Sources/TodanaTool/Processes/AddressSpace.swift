import CProcess

/// The address space that the process may use, which `ulimit -v` limits.
///
/// Files of stores and archives are mapped into it whole, and growing ones into another place twice as large, so that a
/// command needs up to three times as much as the largest file of the store has.
enum AddressSpace {
  /// Less would fail in places where only ending the process is left, such as allocations of Swift's runtime.
  private static let leastByteCount: Int64 = 512 << 20

  /// Makes do with little if there is a limit.
  ///
  /// - Throws: ``AddressSpaceError`` if the limit is too low for anything.
  static func prepare() throws(AddressSpaceError) {
    let limit = tdp_address_space_limit()
    guard limit >= 0 else { return }
    tdp_use_one_heap()
    guard limit >= leastByteCount else {
      throw AddressSpaceError(
        description: "The process may use \(limit >> 10) KiB of address space (ulimit -v), and needs at least "
          + "\(leastByteCount >> 10) KiB; with a large store or archive three times the size of its largest file more.")
    }
  }
}

/// There is less address space than any command needs.
struct AddressSpaceError: Error, CustomStringConvertible {
  let description: String
}
