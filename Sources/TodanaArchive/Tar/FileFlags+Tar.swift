/// Flags as a record of pax: "SCHILY.fflags" with names between commas, as star and libarchive (bsdtar) write them.
extension FileFlags {
  static let tarKey = "SCHILY.fflags"

  /// libarchive's name first, then others that it reads.
  ///
  /// There is none for ``notCompressed``.
  private static let tarNames: [(flag: FileFlags, names: [String])] = [
    (.appendOnly, ["sappnd", "sappend"]), (.immutable, ["schg", "schange", "simmutable"]), (.noDump, ["nodump"]),
    (.noAccessTime, ["noatime"]), (.compressed, ["compress"]), (.noCopyOnWrite, ["nocow"]),
    (.synchronous, ["sync"]), (.synchronousDirectory, ["dirsync"]), (.journalData, ["journal-data", "journal"]),
    (.noTail, ["notail"]), (.topOfTree, ["topdir"]), (.undeletable, ["undel"]),
    (.secureDeletion, ["securedeletion"]),
  ]

  /// The flags that tar has names for; nil if there are none.
  var tarText: [UInt8]? {
    let names = Self.tarNames.filter { contains($0.flag) }.map { $0.names[0] }
    return names.isEmpty ? nil : Array(names.joined(separator: ",").utf8)
  }

  /// Reads the names; those of flags that Linux has not, such as "arch", are skipped.
  init(tarText: [UInt8]) {
    self = []
    for name in tarText.split(separator: UInt8(ascii: ",")) {
      for (flag, names) in Self.tarNames where names.contains(where: { name.elementsEqual($0.utf8) }) { insert(flag) }
    }
  }
}
