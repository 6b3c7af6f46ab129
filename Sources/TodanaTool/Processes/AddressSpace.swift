import CProcess

/// The address space that the process may use, which `ulimit -v` limits.
///
/// Each store file is mapped as a whole, and a growing file is mapped again at another address with twice the size. A
/// command therefore needs up to three times the size of the largest file.
enum AddressSpace {
  /// The minimum limit.
  ///
  /// Below it, allocations of Swift's runtime would fail, which ends the process.
  private static let leastByteCount: Int64 = 512 << 20

  /// Reduces the use of address space if there is a limit.
  ///
  /// - Throws: ``AddressSpaceError`` if the limit is too low for any command.
  static func prepare() throws(AddressSpaceError) {
    let limit = tdp_address_space_limit()
    guard limit >= 0 else { return }
    tdp_use_one_heap()
    guard limit >= leastByteCount else {
      throw AddressSpaceError(
        description: "The address space is limited to \(limit >> 10) KiB (ulimit -v), but at least "
          + "\(leastByteCount >> 10) KiB are needed, plus three times the largest file of the store or archive.")
    }
  }
}

/// The error for an address space too small for any command.
struct AddressSpaceError: Error, CustomStringConvertible {
  let description: String
}
