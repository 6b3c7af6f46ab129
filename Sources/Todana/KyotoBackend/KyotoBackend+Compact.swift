internal import CStorageEngine

extension KyotoBackend {
  /// Compacts the keyspace's file if that shortens it by more than a twentieth and a page (`tdn_compact`).
  ///
  /// Closing the backend during the call makes it give up.
  public func compact(
    _ keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> Bool {
    try unsafe callWithProgress(progress) { unsafe tdn_compact($0, keyspace.rawValue, reportProgress, $1, $2, $3) }
  }

  /// Computes the space from the head of every record (`tdn_get_space`).
  public func space(
    of keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> BackendSpace? {
    var space = tdn_space()
    _ = try unsafe callWithProgress(progress) { cabinet, context, _, error in
      unsafe tdn_get_space(cabinet, keyspace.rawValue, reportProgress, context, &space, error)
    }
    return BackendSpace(
      fileByteCount: Int(clamping: space.file_byte_count), neededByteCount: Int(clamping: space.needed_byte_count))
  }
}

extension KyotoBackend {
  /// Makes a call that reports its progress through `reportProgress`, and returns whether the call set its flag.
  func callWithProgress(
    _ progress: (_ done: Int, _ total: Int) -> Bool,
    _ body: (
      OpaquePointer, UnsafeMutableRawPointer, UnsafeMutablePointer<Bool>, UnsafeMutablePointer<tdn_error>
    ) -> Bool
  ) throws(BackendError) -> Bool {
    var isDone = false
    try withoutActuallyEscaping(progress) { progress throws(BackendError) in
      var context = Context(progress: progress, cabinet: cabinet)
      try unsafe withUnsafeMutablePointer(to: &context) { context throws(BackendError) in
        try unsafe cabinet.call { cabinet, error in unsafe body(cabinet, context, &isDone, error) }
      }
    }
    return isDone
  }
}

private struct Context {
  let progress: (Int, Int) -> Bool
  let cabinet: CabinetHandle
}

/// Reports progress for calls of `callWithProgress`; returns false if the caller gave up or the backend is closing.
func reportProgress(_ context: UnsafeMutableRawPointer?, _ done: UInt64, _ total: UInt64) -> Bool {
  // `callWithProgress` always passes a context.
  guard let context = unsafe context?.assumingMemoryBound(to: Context.self) else { return false }
  guard unsafe !context.pointee.cabinet.isClosing else { return false }
  return unsafe context.pointee.progress(Int(clamping: done), Int(clamping: total))
}
