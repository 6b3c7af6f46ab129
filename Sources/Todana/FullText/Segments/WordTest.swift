import CTextIndex

/// A test of the words of a dictionary, which C calls.
///
/// Safe: the bytes are valid during each call.
@safe
final class WordTest {
  private let holds: (UnsafeRawBufferPointer) -> Bool

  init(_ holds: @escaping (UnsafeRawBufferPointer) -> Bool) { unsafe self.holds = holds }

  /// Has a pattern call the test, which the caller keeps alive as long as C uses the pattern.
  func attach(to pattern: inout tdt_pattern) {
    unsafe pattern.context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe pattern.test = { context, word, count in
      guard let context = unsafe context else { return false }
      let test = unsafe Unmanaged<WordTest>.fromOpaque(context).takeUnretainedValue()
      return unsafe test.holds(UnsafeRawBufferPointer(start: word, count: count))
    }
  }
}
