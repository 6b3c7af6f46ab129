import CTextIndex

/// The receiver of the pages of a segment that is written.
///
/// Safe: the pointers are valid during each call.
@safe
final class TextPageSink {
  private let write: (UInt64, UnsafeRawBufferPointer) throws(BackendError) -> Void
  private var failure: BackendError?

  /// - Parameter write: Takes the number of a page, from 1 on, and its bytes.
  init(_ write: @escaping (UInt64, UnsafeRawBufferPointer) throws(BackendError) -> Void) { unsafe self.write = write }

  /// Calls the closure with a function for C, and its context.
  ///
  /// - Throws: The error of writing a page, or that of the status which the closure returns.
  func callAsFunction(
    _ body: (tdt_write_page, UnsafeMutableRawPointer) -> tdt_status
  ) throws(BackendError) {
    let status = unsafe body(
      { context, number, bytes, count in
        // The context is the sink, which lives during the call.
        let sink = unsafe Unmanaged<TextPageSink>.fromOpaque(context).takeUnretainedValue()
        do throws(BackendError) {
          try unsafe sink.write(number, UnsafeRawBufferPointer(start: bytes, count: count))
          return true
        } catch {
          sink.failure = error
          return false
        }
      }, Unmanaged.passUnretained(self).toOpaque())
    try status.check(failure)
  }
}

/// The pages of a segment that is read.
///
/// Safe: the pointers are valid during each call.
@safe
final class TextPageSource {
  private let read: (UInt64, UnsafeMutableRawBufferPointer) throws(BackendError) -> Int
  private var failure: BackendError?

  /// - Parameter read: Reads the page of a number into a buffer, and returns the number of its bytes.
  init(_ read: @escaping (UInt64, UnsafeMutableRawBufferPointer) throws(BackendError) -> Int) {
    unsafe self.read = read
  }

  static let callback: tdt_read_page = { context, number, buffer, count in
    // The context is the source, which the object that calls back keeps alive.
    let source = unsafe Unmanaged<TextPageSource>.fromOpaque(context).takeUnretainedValue()
    do throws(BackendError) {
      let page = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(TDT_PAGE_SIZE))
      unsafe count.pointee = try unsafe source.read(number, page)
      return true
    } catch {
      source.failure = error
      return false
    }
  }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Throws the error of reading a page, if there was one.
  func throwFailure() throws(BackendError) {
    if let failure { throw failure }
  }

  /// Throws the error of reading a page, or that of a status.
  func check(_ status: tdt_status) throws(BackendError) { try status.check(failure) }
}

extension tdt_status {
  /// Throws the error of the status, or that of the callback.
  func check(_ failure: BackendError? = nil) throws(BackendError) {
    switch self {
    case TDT_OK: break
    case TDT_NO_MEMORY: throw BackendError(.noMemory, "There is not enough memory for a text index.")
    case TDT_TOO_LONG: throw BackendError(.limitExceeded, "The texts of an object are too long for a text index.")
    default: throw failure ?? BackendError(.damaged, "A page of a text index is damaged: rebuild the index.")
    }
  }
}
