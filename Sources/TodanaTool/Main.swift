import ArgumentParser
import Foundation
import Todana

/// Runs the command, and ends the process with its status.
@main
enum Main {
  static func main() {
    do {
      var command = try TodanaTool.parseAsRoot()
      try command.run()
    } catch let status as ExitStatus {
      exit(status.rawValue)
    } catch let error as StoreError {
      report("\(error)")
      exit((error.preventsOpening ? ExitStatus.cannotOpen : .failed).rawValue)
    } catch {
      // Help and versions are thrown, too.
      switch TodanaTool.exitCode(for: error) {
      case .success:
        print(TodanaTool.fullMessage(for: error))
      case .validationFailure:
        FileHandle.standardError.write(Data((TodanaTool.fullMessage(for: error) + "\n").utf8))
        exit(ExitStatus.wrongUse.rawValue)
      default:
        report("\(error)")
        exit(ExitStatus.failed.rawValue)
      }
    }
  }

  private static func report(_ message: String) {
    FileHandle.standardError.write(Data("todana: \(message)\n".utf8))
  }
}

/// What the process ends with, if not with 0; thrown by commands that have said the rest.
enum ExitStatus: Int32, Error {
  /// Done, with something wrong that was listed.
  case somethingWrong = 1
  case wrongUse = 2
  case cannotOpen = 3
  case failed = 4
}

extension StoreError {
  /// Whether it is about a store that is not there, or not to be had.
  fileprivate var preventsOpening: Bool {
    switch backendError?.code {
    case .notFound, .notAStore, .inUse, .newerFormat, .damaged, .noPermission: true
    case .wrongKey, .keyRequired, .notEncrypted, .damagedKeys, .damagedKeySlot, .unknownKeyEpoch, .migrationUnfinished:
      true
    default: code == .invalidKey
    }
  }
}
