import ArgumentParser
import Foundation
import TodanaArchive

/// The source of the files of a new snapshot.
enum AddSource {
  case paths([[UInt8]])
  /// The standard input as one file; empty input is refused, unless it is allowed.
  case standardInput(name: [UInt8], mayBeEmpty: Bool)
  /// The output of a command as one file.
  case command([String], name: [UInt8])

  /// Makes the snapshot.
  ///
  /// - Throws: ``CommandError`` or ``EmptyInputError`` if the input cannot be trusted: no snapshot is made then; errors
  ///   of `Archive.add`.
  func add(
    to archive: Archive, _ options: AddOptions, progress: (AddProgress) throws -> Void
  ) throws -> Archive.Added {
    switch self {
    case .paths(let paths): try archive.add(paths, options: options, progress: progress)
    case .standardInput(let name, let mayBeEmpty):
      try archive.add(descriptor: STDIN_FILENO, name: name, options: options, progress: progress) { read in
        if read.counts.bytes == 0, !mayBeEmpty { throw EmptyInputError() }
      }
    case .command(let arguments, let name):
      try Self.add(outputOf: arguments, name, to: archive, options, progress: progress)
    }
  }

  private static func add(
    outputOf arguments: [String], _ name: [UInt8], to archive: Archive, _ options: AddOptions,
    progress: (AddProgress) throws -> Void
  ) throws -> Archive.Added {
    let command = try RunningCommand(arguments, hasInput: true)
    do {
      return try archive.add(descriptor: command.output, name: name, options: options) {
        try progress($0)
        try command.checkOutput()
      } accepting: { _ in
        try command.waitForEnd()
      }
    } catch {
      command.stop()
      throw error
    }
  }
}

/// The error for a standard input without bytes.
struct EmptyInputError: Error, CustomStringConvertible {
  let description =
    "The standard input is empty; the command that writes it may have failed. No snapshot was made: pass --allow-empty "
    + "to archive an empty file."
}
