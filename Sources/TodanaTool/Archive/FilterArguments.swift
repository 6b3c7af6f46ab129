import ArgumentParser
import Foundation
import TodanaArchive

/// The options that exclude files from a snapshot.
struct FilterArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Exclude files that match (rules of gitignore). A pattern with a slash at its beginning or in its middle is "
        + "relative to each given path: /sub, not src/sub. Can be repeated.",
      valueName: "pattern"))
  var exclude: [String] = []
  @Option(
    help: ArgumentHelp("Read patterns to exclude from this file, one per line; can be repeated.", valueName: "file"),
    completion: .file())
  var excludeFrom: [String] = []
  @Option(
    help: ArgumentHelp("Include files that match, even if --exclude matches; can be repeated.", valueName: "pattern"))
  var include: [String] = []
  @Flag(help: "Exclude the content of directories that contain a CACHEDIR.TAG.") var excludeCaches = false
  @Option(
    help: ArgumentHelp(
      "Exclude the content of directories that contain a file of this name; can be repeated.", valueName: "name"))
  var excludeIfPresent: [String] = []
  @Flag(help: "Do not apply the rules in .todanaignore files.") var noIgnoreFiles = false
  @Option(help: ArgumentHelp("Exclude files larger than this, such as 100M.", valueName: "size"))
  var excludeLargerThan: String?
  @Flag(help: "Exclude files on file systems other than that of the given path.") var oneFileSystem = false

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
