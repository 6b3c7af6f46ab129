import ArgumentParser
import Foundation
import LegacyStores
import Todana

/// Runs the command, and ends the process with its status.
@main
enum Main {
  static func main() {
    do {
      var command = try TodanaConvert.parseAsRoot()
      try command.run()
      exit(ExitStatus.done.rawValue)
    } catch let status as ExitStatus {
      exit(status.rawValue)
    } catch let error as CannotOpen {
      report("\(error)")
      exit(ExitStatus.cannotOpen.rawValue)
    } catch let error where error is StoreError || error is LegacyError || error is Failure {
      report("\(error)")
      exit(ExitStatus.failed.rawValue)
    } catch {
      exit(outcome(ofParsing: error).rawValue)
    }
  }

  /// Prints an error of the parser, or help or version, which the parser throws as well.
  private static func outcome(ofParsing error: any Error) -> ExitStatus {
    switch TodanaConvert.exitCode(for: error) {
    case .success:
      print(TodanaConvert.fullMessage(for: error))
      return .done
    case .validationFailure:
      write(TodanaConvert.fullMessage(for: error) + "\n")
      return .wrongUse
    default:
      report("\(error)")
      return .failed
    }
  }
}

/// The exit status of the process; thrown by commands that have printed everything else.
enum ExitStatus: Int32, Error {
  case done = 0
  /// The command has finished, and has listed problems.
  case somethingWrong = 1
  case wrongUse = 2
  case cannotOpen = 3
  case failed = 4
}

/// The source or the store cannot be opened.
struct CannotOpen: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ error: any Error) { description = "\(path) cannot be opened: \(error)." }

  init(_ description: String) { self.description = description }
}

/// The conversion has ended with an error.
struct Failure: Error, CustomStringConvertible {
  let description: String
}
