/// What a subject read: how many songs, and the sum over the UTF-8 bytes of all titles and all seconds.
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

  /// Adds bare numbers, as a named buffer holds them.
  @inlinable public mutating func add(number: UInt32) {
    sum &+= UInt64(number)
  }

  @inlinable public static func byteSum(of title: String) -> UInt64 {
    // The quickest way to the bytes, so that little is measured beside the subject.
    unsafe title.utf8.withContiguousStorageIfAvailable { unsafe sum(of: $0) } ?? sum(of: title.utf8)
  }

  @inlinable static func sum(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(into: 0) { $0 &+= UInt64($1) }
  }

  public var description: String { "\(count) objects, sum \(sum)" }
}
