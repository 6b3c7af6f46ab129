import ArgumentParser
import Foundation
import TodanaDocuments

/// A format of files, as the user names it.
enum FormatName: String, ExpressibleByArgument, CaseIterable {
  case jsonl, json, csv, plist
}

/// The options for the format of a file with documents.
struct RowFormatOptions: ParsableArguments {
  @Option(help: "The format of the file; by default that of its extension.") var format: FormatName?
  @Option(help: ArgumentHelp("The delimiter of CSV. (default: a comma)", valueName: "character"))
  var delimiter: String?
  @Flag(help: "Read all fields of CSV as texts, instead of recognizing numbers, Booleans and dates.") var texts = false
  @Flag(help: "Dots in the names of CSV columns separate the keys of nested dictionaries.") var nested = false
  @Option(
    help: ArgumentHelp(
      "The columns of CSV, separated by commas; a file that is read has no header then.",
      valueName: "names"))
  var columns: String?

  /// Returns the format for a file.
  ///
  /// - Parameter file: The path, whose extension counts if no option names the format; nil for the standard input or
  ///   output.
  /// - Returns: The format, with the options.
  /// - Throws: `ValidationError` for a wrong option, or if the format is unknown.
  func rowFormat(for file: String?) throws -> RowFormat {
    let pathExtension = format?.rawValue ?? file.map { URL(fileURLWithPath: $0).pathExtension } ?? ""
    guard var format = RowFormat(pathExtension: pathExtension) else {
      throw ValidationError("Pass --format jsonl, json, csv or plist: the name of the file does not tell its format.")
    }
    if case .csv(var csv) = format {
      if let delimiter {
        guard delimiter.unicodeScalars.count == 1, let scalar = delimiter.unicodeScalars.first, scalar.isASCII else {
          throw ValidationError("--delimiter needs one ASCII character.")
        }
        csv.delimiter = scalar
      }
      csv.columnNames = columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      csv.fieldTypes = texts ? .texts : .inferred
      csv.nestsDottedNames = nested
      format = .csv(csv)
    }
    return format
  }
}
