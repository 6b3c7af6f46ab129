package import ArgumentParser
import Foundation

/// A speed test program: its workloads and subjects.
public protocol SpeedTestProgram {
  static var name: String { get }
  static var abstract: String { get }
  static var workloads: [any Workload] { get }
  /// The subjects: Todana first, then its peers.
  static var subjects: [any Subject] { get }
}

extension SpeedTestProgram {
  /// Parses the arguments, runs the program, and exits with the documented status.
  public static func run() -> Never {
    typealias Command = SpeedTestCommand<Self>
    let arguments = Array(CommandLine.arguments.dropFirst())
    exitAfter(Command.self, named: name) {
      // The internal commands are not subcommands of the argument parser, because they would appear in the help, and
      // share options with the root.
      switch arguments.first {
      case RunPhase<Self>.word: try RunPhase<Self>.parse(Array(arguments.dropFirst())).run()
      case PrintReport<Self>.word: try PrintReport<Self>.parse(Array(arguments.dropFirst())).run()
      default: try Command.parse(arguments).run()
      }
    }
  }
}

/// Runs a program's work, prints its error or help, and exits with the documented status.
package func exitAfter<Command: ParsableCommand>(
  _ command: Command.Type, named name: String, _ body: () throws -> Void
) -> Never {
  do {
    try body()
    exit(0)
  } catch let error as SpeedTestError {
    Terminal.message("\(name): \(error)")
    exit(error.exitStatus)
  } catch let error where Command.exitCode(for: error) == .success {
    print(Command.fullMessage(for: error))
    exit(0)
  } catch let error where Command.exitCode(for: error) == .validationFailure {
    Terminal.message(Command.fullMessage(for: error))
    exit(2)
  } catch {
    Terminal.message("\(name): \(error)")
    exit(4)
  }
}

/// The root command of both programs.
struct SpeedTestCommand<Program: SpeedTestProgram>: ParsableCommand {
  static var configuration: CommandConfiguration {
    let workloads = Program.workloads.map { "  \($0.id)  \($0.name)" }.joined(separator: "\n")
    return CommandConfiguration(
      commandName: Program.name, abstract: Program.abstract,
      discussion: "Workloads:\n\(workloads)\n\nSubjects: \(Program.subjects.map(\.name).joined(separator: ", "))")
  }

  @OptionGroup var options: SpeedTestOptions

  @Option(help: ArgumentHelp("At the end, print the first n songs that Todana fetches.", valueName: "n"))
  var show = 0

  func validate() throws {
    guard show >= 0 else { throw ValidationError("--show must not be negative.") }
    guard show == 0 || !options.json else { throw ValidationError("--show and --json cannot be used together.") }
  }

  func run() throws {
    let workloads = try options.selectedWorkloads(from: Program.workloads)
    let subjects = try options.selectedSubjects(from: Program.subjects)
    if let titles = options.titles { _ = try readTitles(from: titles) }
    let scratch = try ScratchDirectory(inside: options.directory)
    Interruption.watch(scratch)
    defer {
      scratch.remove()
      Interruption.forgetScratch()
    }
    if scratch.isInMemory {
      Terminal.message(
        "\(Program.name): \(options.directory) is in memory, where flushes cost nothing. Pass --directory for a disk.")
    }
    let runner = Runner(scratch: scratch, subjects: subjects, options: options)
    var all: [SpeedMeasurement] = []
    for workload in workloads {
      let measurements = try runner.run(workload)
      if measurements.isEmpty {
        Terminal.message("\(workload.id) \(workload.name): skipped, as no chosen database supports it.")
      }
      if !options.json, !measurements.isEmpty { print(reportTable(of: workload, measurements) + "\n") }
      all += measurements
    }
    if options.json { print(try jsonArray(all)) }
    if show > 0, let ours = subjects.first {
      for line in try runner.describeSongs(of: ours, limit: show) { print(line) }
    }
    Terminal.endProgress()
  }
}

/// Prints tables from the JSON array of an earlier run, for Scripts/measure.
struct PrintReport<Program: SpeedTestProgram>: ParsableCommand {
  static var word: String { "print-report" }

  @Argument var file: String

  func run() throws {
    let measurements: [SpeedMeasurement]
    do {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      measurements = try JSONDecoder().decode([SpeedMeasurement].self, from: bytes)
    } catch {
      throw SpeedTestError.wrongUse("cannot read results from \(file): \(error)")
    }
    for workload in Program.workloads {
      let own = measurements.filter { $0.workload == workload.id }
      if !own.isEmpty { print(reportTable(of: workload, own) + "\n") }
    }
  }
}
