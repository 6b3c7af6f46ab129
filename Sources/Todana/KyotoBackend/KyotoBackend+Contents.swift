internal import CStorageEngine

extension KyotoBackend {
  /// Makes the newest commit durable, and returns its anchor (`tdn_get_anchor`).
  public func anchor() throws(BackendError) -> StoreAnchor? {
    var anchor = tdn_anchor()
    try unsafe cabinet.call { unsafe tdn_get_anchor($0, &anchor, $1) }
    return StoreAnchor(
      commitNumber: anchor.commit_number, code: unsafe withUnsafeBytes(of: &anchor.code) { unsafe Array($0) })
  }

  /// Reads every record, and accepts the current records as the committed ones (`tdn_accept_contents`).
  ///
  /// Closing the backend during the call makes it give up.
  public func acceptContents(progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool {
    try unsafe callWithProgress(progress) { unsafe tdn_accept_contents($0, reportProgress, $1, $2, $3) }
  }
}

extension StoreAnchor {
  var cAnchor: tdn_anchor {
    var anchor = tdn_anchor()
    anchor.commit_number = commitNumber
    unsafe withUnsafeMutableBytes(of: &anchor.code) { unsafe $0.copyBytes(from: code.prefix($0.count)) }
    return anchor
  }
}
