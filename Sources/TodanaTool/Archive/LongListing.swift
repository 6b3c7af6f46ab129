import Foundation
import TerminalText
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
