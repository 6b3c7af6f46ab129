import ArgumentParser
import CProcess
import Foundation
import Todana
import TodanaArchive

/// Runs the command, and ends the process with its status.
@main
enum Main {
  static func main() {
    tdp_occupy_standard_descriptors()
    tdp_ignore_file_size_signal()
    ProcessMemory.returnFreedMemory()
    Interruption.listen()
    exit(status().rawValue)
  }

  private static func status() -> ExitStatus {
    var needsOutput = false
    let status = Result { try run(needsOutput: &needsOutput) }
    // Output before an error counts as well.
    let flushed = Result { try StandardOutput.flush() }
    let lost = StandardOutput.lostSummary
    if let lost { printError("The summary is lost: cannot write to the standard output: \(lost)") }
    do {
      try status.get()
      try flushed.get()
      return lost != nil && needsOutput ? .somethingWrong : .done
    } catch let status as ExitStatus {
      return status
    } catch let error as Interrupted {
      printError(error.advice.map { "interrupted; \($0)" } ?? "interrupted")
      return .interrupted
    } catch let error where isWrongUse(error) {
      printError("\(error)")
      return .wrongUse
    } catch let error as StoreError where error.code == .notEncrypted {
      // A passphrase or key is of no use to it, whatever the command is.
      printError("\(error)")
      return .cannotOpen
    } catch let error as CannotOpen {
      printError("\(error)")
      return .cannotOpen
    } catch {
      return outcome(ofParsing: error)
    }
  }

  /// `needsOutput`: set to true if the command's work is of less use without its output.
  private static func run(needsOutput: inout Bool) throws {
    let arguments = TypedArguments.all
    var command = try TodanaTool.parseAsRoot(ArchiveOptions.namingStore(arguments))
    try AddressSpace.prepare()
    if let command = command as? any SummarizingCommand, !command.isDryRun {
      needsOutput = command.printsReport
      StandardOutput.becomeSummary()
    }
    do {
      try command.run()
    } catch let error as ValidationError {
      StandardError.write(CommandUsage(of: arguments).text(of: error))
      throw ExitStatus.wrongUse
    }
  }

  /// Whether it is about what the user asked for, and not about what was found.
  private static func isWrongUse(_ error: any Error) -> Bool {
    if let error = error as? ArchiveError { return error.code == .invalidArgument }
    return error is SecretError || error is InputError || error is ArgumentError
  }

  /// Help and versions are thrown, too.
  private static func outcome(ofParsing error: any Error) -> ExitStatus {
    switch TodanaTool.exitCode(for: error) {
    case .success:
      do {
        try StandardOutput.line(TodanaTool.fullMessage(for: error))
        try StandardOutput.flush()
        return .done
      } catch {
        printError("\(error)")
        return .failed
      }
    case .validationFailure:
      StandardError.write(TodanaTool.fullMessage(for: error) + "\n")
      return .wrongUse
    default:
      printError("\(error)")
      return .failed
    }
  }
}

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
