/// The number of songs that a subject read, and the sum of all bytes of their titles (UTF-8) and all seconds.
///
/// The sum does not depend on the order, because a hash file has none.
@frozen public struct Checksum: Equatable, Sendable, CustomStringConvertible {
  public var count: Int
  public var sum: UInt64

  @inlinable public init(count: Int = 0, sum: UInt64 = 0) {
    self.count = count
    self.sum = sum
  }

  @inlinable public mutating func add(title: String, seconds: UInt32) {
    count += 1
    sum &+= UInt64(seconds) &+ Checksum.byteSum(of: title)
  }

  /// Adds one number of a named buffer to the sum, but no song to the count.
  @inlinable public mutating func add(number: UInt32) {
    sum &+= UInt64(number)
  }

  @inlinable public static func byteSum(of title: String) -> UInt64 {
    // This is the fastest access to the bytes, so that little besides the subject is measured.
    unsafe title.utf8.withContiguousStorageIfAvailable { unsafe sum(of: $0) } ?? sum(of: title.utf8)
  }

  @inlinable static func sum(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(into: 0) { $0 &+= UInt64($1) }
  }

  public var description: String { "\(count) objects, sum \(sum)" }
}
