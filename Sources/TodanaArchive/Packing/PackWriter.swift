/// Writes the members of a pack, and their checksums at its end.
struct PackWriter {
  private let output: DescriptorOutput
  private let seconds: Int64
  private let hash: SHA256Hash
  private var sums = ""
  /// The current member, and the number of its bytes that are still to be written.
  private var member: (header: PackHeader, missingByteCount: Int64)?

  init(to output: DescriptorOutput, seconds: Int64) throws(ArchiveError) {
    self.output = output
    self.seconds = seconds
    hash = try SHA256Hash()
  }

  mutating func add(_ name: String, _ content: [UInt8]) throws {
    try begin(name, byteCount: Int64(content.count))
    try write(content)
  }

  mutating func begin(_ name: String, byteCount: Int64) throws {
    try endMember()
    let header = PackHeader(name: name, byteCount: byteCount, seconds: seconds)
    guard let block = header.block else {
      throw ArchiveError(.invalidArgument, "The name or the length of “\(name)” is too long for a pack.")
    }
    try put(block.bytes)
    member = (header, byteCount)
  }

  mutating func write(_ bytes: [UInt8]) throws {
    guard member != nil else { return }
    member?.missingByteCount -= Int64(bytes.count)
    try hash.add(bytes)
    try put(bytes)
  }

  /// Writes the checksums and the end mark, without which a pack counts as truncated.
  mutating func finish() throws {
    try endMember()
    // The list of checksums does not list itself.
    try add(PackFormat.sumsName, Array(sums.utf8))
    try endMember()
    try put([UInt8](repeating: 0, count: PackFormat.endByteCount))
    try output.flush()
  }

  private mutating func endMember() throws {
    guard let (header, missingByteCount) = member else { return }
    guard missingByteCount == 0 else {
      throw ArchiveError(.damaged, "“\(header.name)” of the archive has another length than announced.")
    }
    sums += PackFormat.sumsLine(try hash.finish(), header.name)
    try put([UInt8](repeating: 0, count: PackFormat.paddingByteCount(header.byteCount)))
    member = nil
  }

  private func put(_ bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try unsafe output.write(bytes) }
  }
}
