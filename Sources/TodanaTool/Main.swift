import ArgumentParser
import Foundation
import Todana
import TodanaArchive

/// Runs the command, and ends the process with its status.
@main
enum Main {
  static func main() {
    ProcessMemory.returnFreedMemory()
    Interruption.listen()
    exit(status().rawValue)
  }

  private static func status() -> ExitStatus {
    let status = Result { try run() }
    // What was said before an error counts as well.
    let flushed = Result { try StandardOutput.flush() }
    do {
      try status.get()
      try flushed.get()
      return .done
    } catch let status as ExitStatus {
      return status
    } catch let error as Interrupted {
      report(error.advice.map { "interrupted; \($0)" } ?? "interrupted")
      return .interrupted
    } catch let error where isWrongUse(error) {
      report("\(error)")
      return .wrongUse
    } catch let error as StoreError where error.code == .notEncrypted {
      // A passphrase or key is of no use to it, whatever the command is.
      report("\(error)")
      return .cannotOpen
    } catch let error as CannotOpen {
      report("\(error)")
      return .cannotOpen
    } catch {
      return outcome(ofParsing: error)
    }
  }

  private static func run() throws {
    var command = try TodanaTool.parseAsRoot(ArchiveOptions.namingStore(TypedArguments.all))
    try command.run()
  }

  /// Whether it is about what the user asked for, and not about what was found.
  private static func isWrongUse(_ error: any Error) -> Bool {
    if let error = error as? ArchiveError { return error.code == .invalidArgument }
    return error is SecretError || error is InputError || error is ChoosingError || error is RetentionError
  }

  /// Help and versions are thrown, too.
  private static func outcome(ofParsing error: any Error) -> ExitStatus {
    switch TodanaTool.exitCode(for: error) {
    case .success:
      print(TodanaTool.fullMessage(for: error))
      return .done
    case .validationFailure:
      FileHandle.standardError.write(Data((TodanaTool.fullMessage(for: error) + "\n").utf8))
      return .wrongUse
    default:
      report("\(error)")
      return .failed
    }
  }
}

/// Writes a message for people to the standard error.
func report(_ message: String) {
  FileHandle.standardError.write(Data("todana: \(printable(message))\n".utf8))
}

/// The same, for commands that have a `report` of their own.
func warn(_ message: String) { report(message) }

/// What the process ends with; thrown by commands that have said the rest.
enum ExitStatus: Int32, Error {
  case done = 0
  /// Done, with something wrong that was listed.
  case somethingWrong = 1
  case wrongUse = 2
  case cannotOpen = 3
  case failed = 4
  case interrupted = 130
}
