/// A numbering of values from 0 in the order in which they first occur.
///
/// Values that are equal by the rules of ``OrderedValue`` get the same number.
@usableFromInline
struct GroupNumbers {
  private let arena = ByteArena()
  @usableFromInline var writer: KeyWriter
  private var numbers: [[UInt8]: Int] = [:]
  /// The previous value, which is often the next one as well: values often come sorted.
  private var last: (key: [UInt8], number: Int) = ([], -1)

  @usableFromInline
  init() { writer = KeyWriter(arena: arena) }

  @inlinable
  mutating func number<Value: OrderedValue>(of value: Value) -> Int {
    value.writeKey(to: &writer)
    return numberOfKey()
  }

  /// Returns the number of the value that was written.
  @usableFromInline
  mutating func numberOfKey() -> Int {
    defer { arena.count = 0 }
    let isLast = unsafe last.key.withUnsafeBytes { key in unsafe Bytes.order(key, arena.bytes) == 0 }
    if isLast, last.number >= 0 { return last.number }
    let key = unsafe Array(arena.bytes)
    let number = numbers[key] ?? numbers.count
    numbers[key] = number
    last = (key, number)
    return number
  }

  /// The numbers in the order of their values.
  @usableFromInline var inOrder: [Int] {
    numbers.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
