internal import CKyotoCabinet

extension KyotoBackend {
  /// Rebuilds the structure's file if it would become shorter by more than a twentieth (`tdn_compact`).
  ///
  /// Closing the backend meanwhile gives up.
  public func compact(
    _ structure: ClassID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> Bool {
    var isCompacted = false
    try withoutActuallyEscaping(progress) { progress throws(BackendError) in
      var context = Context(progress: progress, cabinet: cabinet)
      try unsafe withUnsafeMutablePointer(to: &context) { context throws(BackendError) in
        try unsafe cabinet.call { cabinet, error in
          unsafe tdn_compact(cabinet, structure.rawValue, reportProgress, context, &isCompacted, error)
        }
      }
    }
    return isCompacted
  }

  /// Looks at the head of every record (`tdn_get_space`).
  public func space(
    of structure: ClassID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> BackendSpace? {
    var space = tdn_space()
    try withoutActuallyEscaping(progress) { progress throws(BackendError) in
      var context = Context(progress: progress, cabinet: cabinet)
      try unsafe withUnsafeMutablePointer(to: &context) { context throws(BackendError) in
        try unsafe cabinet.call { cabinet, error in
          unsafe tdn_get_space(cabinet, structure.rawValue, reportProgress, context, &space, error)
        }
      }
    }
    return BackendSpace(
      fileByteCount: Int(clamping: space.file_byte_count), neededByteCount: Int(clamping: space.needed_byte_count))
  }
}

private struct Context {
  let progress: (Int, Int) -> Bool
  let cabinet: CabinetHandle
}

private func reportProgress(_ context: UnsafeMutableRawPointer?, _ done: UInt64, _ total: UInt64) -> Bool {
  // `compact` always gives one.
  guard let context = unsafe context?.assumingMemoryBound(to: Context.self) else { return false }
  guard unsafe !context.pointee.cabinet.isClosing else { return false }
  return unsafe context.pointee.progress(Int(clamping: done), Int(clamping: total))
}
