internal import CStorageEngine

extension KyotoBackend {
  /// Checks superblock, keys, the list of the last commits and the heads of page checksums (`tdn_verify_companions`).
  public func verifyCompanions() throws(BackendError) -> [DamagedFile] {
    var found: [DamagedFile] = []
    try unsafe cabinet.call { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &found) { list in
        unsafe tdn_verify_companions(cabinet, list, appendDamagedFile, error)
      }
    }
    return found
  }

  /// Checks up to 16 MiB of a main file against its page checksums (`tdn_verify_part`).
  public func verifyPages(of file: BackendFile, from firstPage: Int) throws(BackendError) -> VerifiedPages? {
    let number: UInt32 =
      switch file {
      case .catalog: UInt32(TDN_CATALOG)
      case .states: UInt32.max
      case .keyspace(let id): id.rawValue
      }
    var part = tdn_verified_part()
    try unsafe cabinet.call {
      unsafe tdn_verify_part($0, number, UInt64(max(firstPage, 0)), &part, $1)
    }
    guard part.page_count > 0 else { return nil }
    var damagedPages: [Int] = []
    if part.damaged_count > 0 {
      unsafe withUnsafeBytes(of: &part.damaged) { bits in
        for page in 0..<Int(part.page_count) where unsafe bits[page / 8] >> UInt8(page & 7) & 1 != 0 {
          damagedPages.append(firstPage + page)
        }
      }
    }
    return VerifiedPages(
      file: unsafe withUnsafeBytes(of: &part.file) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
      pageCount: Int(part.page_count), filePageCount: Int(clamping: part.file_page_count), damagedPages: damagedPages)
  }
}

/// Appends a damaged file to the `[DamagedFile]` that `context` points to, for `tdn_verify_companions`.
private func appendDamagedFile(
  _ context: UnsafeMutableRawPointer?, _ file: UnsafePointer<CChar>, _ message: UnsafePointer<CChar>
) {
  guard let context = unsafe context else { return }
  let list = unsafe context.assumingMemoryBound(to: [DamagedFile].self)
  unsafe list.pointee.append(DamagedFile(file: String(cString: file), message: String(cString: message)))
}
