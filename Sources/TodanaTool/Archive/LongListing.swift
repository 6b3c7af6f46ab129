import Foundation
import TodanaArchive

/// Lines as `ls -l` writes them.
struct OwnerColumn {
  func line(of listed: ListedFile) -> String {
    let file = listed.file
    let size: String
    switch file.kind {
    case .regular: size = formattedCount(Int(file.byteCount))
    case .characterDevice(let major, let minor), .blockDevice(let major, let minor): size = "\(major), \(minor)"
    default: size = "-"
    }
    let time = Date(timeIntervalSince1970: Double(file.modificationTime.seconds))
    var text =
      "\(file.kind.letter)\(Self.permissions(file.permissions)) \(Self.owner(file.owner)) "
      + String(repeating: " ", count: max(0, 13 - size.count)) + size
      + " \(formattedDate(time)) \(printable(String(decoding: listed.path, as: UTF8.self)))"
    if case .symbolicLink(let target) = file.kind {
      text += " -> \(printable(String(decoding: target, as: UTF8.self)))"
    }
    return text
  }

  private static func owner(_ owner: FileOwner) -> String {
    let user = owner.userName.map { String(decoding: $0, as: UTF8.self) } ?? "\(owner.userID)"
    let group = owner.groupName.map { String(decoding: $0, as: UTF8.self) } ?? "\(owner.groupID)"
    return printable(user).padding(toLength: max(8, user.count), withPad: " ", startingAt: 0) + " "
      + printable(group).padding(toLength: max(8, group.count), withPad: " ", startingAt: 0)
  }

  static func permissions(_ bits: UInt16) -> String {
    var letters = Array("rwxrwxrwx").enumerated().map { index, letter in
      bits & (0o400 >> UInt16(index)) != 0 ? letter : "-"
    }
    for (bit, index, set, unset) in [
      (0o4000, 2, "s", "S"), (0o2000, 5, "s", "S"), (0o1000, 8, "t", "T"),
    ] as [(UInt16, Int, Character, Character)] where bits & bit != 0 {
      letters[index] = letters[index] == "x" ? set : unset
    }
    return String(letters)
  }
}

extension FileKind {
  var letter: String {
    switch self {
    case .regular: "-"
    case .directory: "d"
    case .symbolicLink: "l"
    case .fifo: "p"
    case .characterDevice: "c"
    case .blockDevice: "b"
    case .socket: "s"
    }
  }

  var name: String {
    switch self {
    case .regular: "file"
    case .directory: "directory"
    case .symbolicLink: "link"
    case .fifo: "fifo"
    case .characterDevice: "character device"
    case .blockDevice: "block device"
    case .socket: "socket"
    }
  }
}

/// A file in a snapshot, for programs.
struct ListedFileReport: Encodable {
  let path: String
  /// Of a path that is not UTF-8, its bytes.
  let pathBytes: Data?
  let kind: String
  let permissions: String
  let userID: UInt32
  let groupID: UInt32
  let user: String?
  let group: String?
  let bytes: Int64?
  let modified: String
  let target: String?

  init(_ listed: ListedFile) {
    let file = listed.file
    path = String(decoding: listed.path, as: UTF8.self)
    pathBytes = path.utf8.elementsEqual(listed.path) ? nil : Data(listed.path)
    kind = file.kind.name
    permissions = String(file.permissions, radix: 8)
    (userID, groupID) = (file.owner.userID, file.owner.groupID)
    user = file.owner.userName.map { String(decoding: $0, as: UTF8.self) }
    group = file.owner.groupName.map { String(decoding: $0, as: UTF8.self) }
    bytes = file.kind == .regular ? file.byteCount : nil
    let nanoseconds = String(file.modificationTime.nanoseconds)
    modified =
      "\(file.modificationTime.seconds)." + String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
    if case .symbolicLink(let target) = file.kind {
      self.target = String(decoding: target, as: UTF8.self)
    } else {
      target = nil
    }
  }
}
