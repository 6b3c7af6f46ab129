import Foundation
import TodanaArchive

/// The lines of a long list, in the form of `ls -l`.
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
      + " \(formattedDate(time)) \(printable(listed.path))"
    if case .symbolicLink(let target) = file.kind {
      text += " -> \(printable(target))"
    }
    return text
  }

  private static func owner(_ owner: FileOwner) -> String {
    let user = owner.userName.map { printable($0) } ?? "\(owner.userID)"
    let group = owner.groupName.map { printable($0) } ?? "\(owner.groupID)"
    return user.padded(toColumns: 8) + " " + group.padded(toColumns: 8)
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
  let bytes: Int64?
  let modified: String
  let target: String?
  /// The bytes of a link target that is not UTF-8.
  let targetBytes: Data?
  /// The flags as the letters of `chattr`.
  let flags: String?

  init(_ listed: ListedFile) {
    let file = listed.file
    path = String(decoding: listed.path, as: UTF8.self)
    pathBytes = Self.bytesIfNoText(listed.path)
    kind = file.kind.name
    permissions = String(file.permissions, radix: 8)
    (userID, groupID) = (file.owner.userID, file.owner.groupID)
    user = file.owner.userName.map { String(decoding: $0, as: UTF8.self) }
    group = file.owner.groupName.map { String(decoding: $0, as: UTF8.self) }
    bytes = file.kind == .regular ? file.byteCount : nil
    modified = Self.seconds(file.modificationTime)
    flags = file.flags.isEmpty ? nil : file.flags.letters
    if case .symbolicLink(let target) = file.kind {
      self.target = String(decoding: target, as: UTF8.self)
      targetBytes = Self.bytesIfNoText(target)
    } else {
      (target, targetBytes) = (nil, nil)
    }
  }

  /// Returns the seconds since 1970 with nine digits after the point.
  ///
  /// Before 1970 the nanoseconds of a time still count forwards, but the digits of a negative decimal number count
  /// backwards.
  private static func seconds(_ time: FileTime) -> String {
    let isNegative = time.seconds < 0 && time.nanoseconds > 0
    let seconds = isNegative ? time.seconds + 1 : time.seconds
    let nanoseconds = String(isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds)
    let sign = isNegative && seconds == 0 ? "-" : ""
    return "\(sign)\(seconds)." + String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
  }

  /// Returns the bytes if they are not UTF-8 text.
  private static func bytesIfNoText(_ bytes: [UInt8]) -> Data? {
    String(validating: bytes, as: UTF8.self) == nil ? Data(bytes) : nil
  }
}
