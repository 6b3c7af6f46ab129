/// The limits of a value that is built from untrusted bytes, in which a few bytes can stand for many values.
struct ValueBudget {
  /// The number of levels that a document may have.
  static let depthLimit = 100
  private var valueCount = 0
  private var byteCount = 0
  /// The numbers of the objects that contain the current one.
  private var path: Set<Int> = []

  private static let valueLimit = 1_000_000
  private static let byteLimit = 256 << 20

  /// Counts a value with its bytes.
  mutating func add(byteCount: Int = 0) throws(LegacyError) {
    valueCount += 1
    self.byteCount += byteCount
    guard valueCount <= Self.valueLimit, self.byteCount <= Self.byteLimit else {
      throw LegacyError(.tooLarge, "the object has more than \(Self.valueLimit) values or 256 MiB")
    }
  }

  /// Enters an object that contains others.
  mutating func enter(_ object: Int) throws(LegacyError) {
    guard path.insert(object).inserted else { throw LegacyError(.cyclic, "the object contains itself") }
    guard path.count <= Self.depthLimit else {
      throw LegacyError(.tooDeep, "the object is nested more than \(Self.depthLimit) levels deep")
    }
  }

  mutating func leave(_ object: Int) { path.remove(object) }
}
