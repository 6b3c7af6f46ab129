import Foundation
import TodanaArchive

/// The JSON report of a file in a snapshot.
struct ListedFileReport: Encodable {
  let path: String
  /// The bytes of a path that is not UTF-8.
  let pathBytes: Data?
  let kind: String
  let permissions: String
  let userID: UInt32
  let groupID: UInt32
  let user: String?
  let group: String?
  let byteCount: Int64?
  /// The modification time in ISO 8601, in UTC, with nanoseconds.
  let modified: String
  let target: String?
  /// The bytes of a link target that is not UTF-8.
  let targetBytes: Data?
  /// The flags as the letters of `chattr`.
  let flags: String?

  init(_ listed: ListedFile) {
    let file = listed.file
    let path = PathReport(listed.path)
    (self.path, pathBytes) = (path.text, path.bytes)
    kind = file.kind.name
    permissions = String(file.permissions, radix: 8)
    (userID, groupID) = (file.owner.userID, file.owner.groupID)
    user = file.owner.userName.map { String(decoding: $0, as: UTF8.self) }
    group = file.owner.groupName.map { String(decoding: $0, as: UTF8.self) }
    byteCount = file.kind == .regular ? file.byteCount : nil
    modified = "\(FileTimeText(file.modificationTime))"
    flags = file.flags.isEmpty ? nil : file.flags.letters
    guard case .symbolicLink(let linked) = file.kind else {
      (target, targetBytes) = (nil, nil)
      return
    }
    let link = PathReport(linked)
    (target, targetBytes) = (link.text, link.bytes)
  }
}
