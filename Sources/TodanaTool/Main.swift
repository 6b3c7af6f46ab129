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
    // Flush the output that precedes an error, too.
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
    } catch let error where isAboutSecret(error) {
      printError("\(error)")
      return .cannotOpen
    } catch let error as CannotOpen {
      printError("\(error)\(error.isSomethingElse ? operandAdvice(isAboutInput: false) : "")")
      return .cannotOpen
    } catch let error as InputError {
      printError("\(error)\(operandAdvice(isAboutInput: true))")
      return .cannotOpen
    } catch {
      return outcome(ofParsing: error)
    }
  }

  /// The advice about the order of the operands, with a space before it; empty if there is none.
  private static func operandAdvice(isAboutInput: Bool) -> String {
    OperandAdvice(of: TypedArguments.all, isAboutInput: isAboutInput).text.map { " \($0)" } ?? ""
  }

  /// Runs the command.
  ///
  /// `needsOutput`: set to true if the command's work is less useful without its output.
  private static func run(needsOutput: inout Bool) throws {
    let arguments = TypedArguments.all
    do {
      try ArgumentCheck(of: arguments).check()
    } catch {
      StandardError.write(CommandUsage(of: arguments).text(of: error))
      throw ExitStatus.wrongUse
    }
    var command = try TodanaTool.parseAsRoot(ArchiveOptions.namingStore(arguments))
    try AddressSpace.prepare()
    if let command = command as? any QuietCommand, command.isQuiet { Waiting.becomeQuiet() }
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

  /// Tests whether an error is about the user's arguments, and not about the data.
  private static func isWrongUse(_ error: any Error) -> Bool {
    if let error = error as? ArchiveError { return error.code == .invalidArgument }
    return error is ArgumentError || (error as? SecretError)?.isWrongUse == true
  }

  /// Tests whether an error is about a passphrase or key that is missing or malformed, or for which there is no use.
  private static func isAboutSecret(_ error: any Error) -> Bool {
    if let error = error as? StoreError { return error.code == .notEncrypted || error.code == .invalidKey }
    return error is SecretError || error is TerminalError
  }

  /// Prints an error of the parser, or help or version, which the parser throws as well.
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

/// The exit status of the process; thrown by commands that have printed everything else.
enum ExitStatus: Int32, Error {
  case done = 0
  /// The command has finished, and has listed problems.
  case somethingWrong = 1
  case wrongUse = 2
  case cannotOpen = 3
  case failed = 4
  case interrupted = 130
}
