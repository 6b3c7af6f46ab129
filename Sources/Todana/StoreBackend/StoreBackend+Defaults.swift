extension StoreBackend {
  public var keyRing: KeyRing? { nil }
  public var keyManagement: (any KeyManagement)? { nil }
  public func anchor() throws(BackendError) -> StoreAnchor? { nil }
  public func acceptContents(progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool { false }
}
