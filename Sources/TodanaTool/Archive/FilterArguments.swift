import ArgumentParser
import Foundation
import TodanaArchive

/// The options that exclude files from a snapshot.
struct FilterArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Leave out what matches, by the rules of gitignore; several are allowed.", valueName: "pattern"))
  var exclude: [String] = []
  @Option(help: ArgumentHelp("A file of such patterns, one a line.", valueName: "file"), completion: .file())
  var excludeFrom: [String] = []
  @Option(help: ArgumentHelp("Take back what an --exclude left out.", valueName: "pattern")) var include: [String] = []
  @Flag(help: "Leave out the content of directories with a CACHEDIR.TAG.") var excludeCaches = false
  @Option(
    help: ArgumentHelp(
      "Leave out the content of directories with a file of this name; several are allowed.", valueName: "name"))
  var excludeIfPresent: [String] = []
  @Flag(help: "Archive also what files .todanaignore would leave out.") var noIgnoreFiles = false
  @Option(help: ArgumentHelp("Leave out files that are larger, such as 100M.", valueName: "size"))
  var excludeLargerThan: String?
  @Flag(help: "Leave out what is on other file systems than the paths.") var oneFileSystem = false

  func options() throws -> FilterOptions {
    var options = try Self.options(exclude: exclude, excludeFrom: excludeFrom, include: include)
    options.largestFile = try excludeLargerThan.map { try ByteSize($0) }
    options.excludesCaches = excludeCaches
    for name in excludeIfPresent { try options.exclude(ifPresent: bytes(name)) }
    options.readsIgnoreFiles = !noIgnoreFiles
    options.staysOnFileSystem = oneFileSystem
    return options
  }

  /// Returns the uses of the standard input, one for each time that it is named.
  static func standardInputUses(excludeFrom: [String]) -> [String] {
    excludeFrom.filter { $0 == "-" }.map { _ in "the patterns" }
  }

  static func options(exclude: [String], excludeFrom: [String] = [], include: [String]) throws -> FilterOptions {
    var options = FilterOptions()
    for pattern in exclude { try options.exclude(bytes(pattern)) }
    for file in excludeFrom {
      try options.exclude(lines: InputDescriptor.content(of: file, byteLimit: 64 << 20), of: bytes(file))
    }
    for pattern in include { try options.include(bytes(pattern)) }
    return options
  }
}
