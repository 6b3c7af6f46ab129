/// Splits content at positions that depend on its bytes, so an insertion changes only the chunks around it.
///
/// FastCDC (Xia et al., USENIX ATC 2016): a rolling "gear" hash of the last 64 bytes is compared with a mask. The mask
/// for chunks below the wanted size is harder to meet than the mask for longer ones. The table is derived from the
/// archive's secret: chunk lengths reveal less about known files than they would with a public table.
public struct Chunker: Sendable {
  /// The sizes of chunks, in bytes.
  public struct Sizes: Sendable, Equatable {
    public var minimum: Int
    public var wanted: Int
    public var maximum: Int

    /// Creates sizes from a minimum, a wanted size and a maximum, in bytes.
    ///
    /// - Precondition: 64 ≤ minimum ≤ wanted ≤ maximum, and `wanted` is a power of two.
    public init(minimum: Int, wanted: Int, maximum: Int) {
      precondition(minimum >= 64 && minimum <= wanted && wanted <= maximum, "the sizes of chunks ascend from 64 on")
      precondition(wanted & (wanted - 1) == 0, "the wanted size of chunks is a power of two")
      self.minimum = minimum
      self.wanted = wanted
      self.maximum = maximum
    }

    /// Creates sizes from half to four times the wanted size.
    ///
    /// Smaller chunks find more duplicates. Each takes about 100 bytes besides its content, which is padded to 256
    /// bytes.
    ///
    /// - Parameter wanted: A power of two from 256 bytes to 1 MiB; memory use grows with the largest chunks.
    /// - Throws: ``ArchiveError/Code/invalidArgument`` for any other number.
    public init(around wanted: Int) throws(ArchiveError) {
      guard (256...1 << 20).contains(wanted), wanted & (wanted - 1) == 0 else {
        throw ArchiveError(.invalidArgument, "The chunk size must be a power of two from 256 bytes to 1 MiB.")
      }
      self.init(minimum: wanted / 2, wanted: wanted, maximum: wanted * 4)
    }

    /// The default: chunks of about 1 MiB, from 512 KiB to 4 MiB.
    public static let standard = Sizes(minimum: 512 << 10, wanted: 1 << 20, maximum: 4 << 20)
  }

  public let sizes: Sizes
  private let gear: [UInt64]
  /// The mask for chunks below the wanted size; a chunk ends if these bits of the hash are 0.
  private let hardMask: UInt64
  private let easyMask: UInt64

  /// Creates a chunker from a table of 256 random numbers.
  init(gear: [UInt64], sizes: Sizes = .standard) {
    precondition(gear.count == 256, "there is a number for each byte")
    self.gear = gear
    self.sizes = sizes
    // The highest bits of the hash depend on the most bytes.
    let bits = sizes.wanted.trailingZeroBitCount
    hardMask = ~0 << UInt64(64 - bits - 2)
    easyMask = ~0 << UInt64(64 - bits + 2)
  }

  /// Returns the length of the first chunk of the bytes.
  ///
  /// - Parameters:
  ///   - bytes: Content from the start of a chunk on.
  ///   - isWhole: Whether the bytes extend to the end of the content.
  /// - Returns: The length; nil if it depends on the bytes that follow. Pass at least ``Sizes/maximum`` bytes, or all
  ///   that are left.
  public func firstCut(in bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Int? {
    if bytes.count <= sizes.minimum { return isWhole && bytes.count > 0 ? bytes.count : nil }
    let end = min(bytes.count, sizes.maximum)
    let wanted = min(sizes.wanted, end)
    let cut = unsafe gear.withUnsafeBufferPointer { gear in
      // The hash depends on the last 64 bytes only, so hashing can start 64 bytes before the minimum.
      var hash: UInt64 = 0
      var position = sizes.minimum - 64
      while position < sizes.minimum {
        hash = unsafe hash << 1 &+ gear[Int(bytes[position])]
        position += 1
      }
      while position < wanted {
        hash = unsafe hash << 1 &+ gear[Int(bytes[position])]
        position += 1
        if hash & hardMask == 0 { return position }
      }
      while position < end {
        hash = unsafe hash << 1 &+ gear[Int(bytes[position])]
        position += 1
        if hash & easyMask == 0 { return position }
      }
      return end
    }
    return cut < end || end == sizes.maximum || isWhole ? cut : nil
  }
}
