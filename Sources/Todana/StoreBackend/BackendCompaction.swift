extension StoreBackend {
  public func compact(
    _ structure: ClassID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> Bool { false }
}
