/// Divides content where its bytes say so: an insertion changes the chunks around it, and the others stay what they were.
///
/// FastCDC (Xia et al., USENIX ATC 2016): a rolling "gear" hash of the last 64 bytes, with a mask that is harder to meet
/// below the wanted size than above. The table is made of the archive's secret, so that the lengths of chunks do not tell
/// which known file they are of as directly as with a public one.
public struct Chunker: Sendable {
  /// The sizes of chunks, in bytes.
  public struct Sizes: Sendable, Equatable {
    public var minimum: Int
    public var wanted: Int
    public var maximum: Int

    /// - Precondition: 64 ≤ minimum ≤ wanted ≤ maximum, and `wanted` is a power of two.
    public init(minimum: Int, wanted: Int, maximum: Int) {
      precondition(minimum >= 64 && minimum <= wanted && wanted <= maximum, "the sizes of chunks ascend from 64 on")
      precondition(wanted & (wanted - 1) == 0, "the wanted size of chunks is a power of two")
      self.minimum = minimum
      self.wanted = wanted
      self.maximum = maximum
    }

    /// Half to four times the wanted size.
    ///
    /// Small chunks find more that is equal, and each takes about 100 bytes besides its content, which is padded to 256.
    ///
    /// - Parameter wanted: A power of two from 256 bytes to 1 MiB: memory grows with the largest chunks.
    /// - Throws: ``ArchiveError/Code/invalidArgument`` for any other number.
    public init(around wanted: Int) throws(ArchiveError) {
      guard (256...1 << 20).contains(wanted), wanted & (wanted - 1) == 0 else {
        throw ArchiveError(.invalidArgument, "The size of chunks is a power of two from 256 bytes to 1 MiB.")
      }
      self.init(minimum: wanted / 2, wanted: wanted, maximum: wanted * 4)
    }

    /// About 1 MiB.
    public static let standard = Sizes(minimum: 512 << 10, wanted: 1 << 20, maximum: 4 << 20)
  }

  public let sizes: Sizes
  private let gear: [UInt64]
  /// Hashes of which these bits are 0 end a chunk below, and above, the wanted size.
  private let hardMask: UInt64
  private let easyMask: UInt64

  /// Makes one of 256 random numbers.
  init(gear: [UInt64], sizes: Sizes = .standard) {
    precondition(gear.count == 256, "there is a number for each byte")
    self.gear = gear
    self.sizes = sizes
    // The highest bits depend on the most bytes.
    let bits = sizes.wanted.trailingZeroBitCount
    hardMask = ~0 << UInt64(64 - bits - 2)
    easyMask = ~0 << UInt64(64 - bits + 2)
  }

  /// Where the first chunk of the bytes ends.
  ///
  /// - Parameters:
  ///   - bytes: Content from the beginning of a chunk on.
  ///   - isWhole: Whether nothing comes behind them.
  /// - Returns: nil where that depends on what comes behind: give at least ``Sizes/maximum`` bytes, or all that are left.
  public func firstCut(in bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Int? {
    if bytes.count <= sizes.minimum { return isWhole && bytes.count > 0 ? bytes.count : nil }
    let end = min(bytes.count, sizes.maximum)
    let wanted = min(sizes.wanted, end)
    let cut = unsafe gear.withUnsafeBufferPointer { gear in
      // The hash has a window of 64 bytes, so it is what it would be had all been hashed.
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
