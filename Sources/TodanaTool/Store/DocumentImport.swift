import ArgumentParser
import Foundation
import Todana
import TodanaDocuments

/// The import of a file into a collection of documents, by the command `todana store import`.
struct DocumentImport {
  let store: String
  let file: String
  let collection: String
  let format: RowFormat
  let batch: Int
  let resume: Bool
  let skipErrors: Bool
  let options: ReportOptions

  private struct Report: Encodable {
    let rowCount: Int
    let skippedRowCount: Int
  }

  func run(_ secret: SecretOptions, _ waiting: WaitOptions) throws {
    var line = ProgressLine(isShown: !options.quiet)
    defer { line.clear() }
    var importing = ImportOptions(batchSize: batch, resume: resume) { progress in
      try Interruption.check()
      if let total = progress.totalByteCount, total > 0 {
        let share = min(progress.byteCount, total) * 100 / total
        line.show("importing: \(share) %, \(counted(progress.rowCount, "row"))")
      } else {
        line.show("importing: \(counted(progress.rowCount, "row"))")
      }
    }
    if skipErrors { importing.errorPolicy = .skip { error in printError("\(printable(file)): \(error)") } }
    let summary = try summary(secret, waiting, importing)
    line.clear()
    if options.json {
      try printJSON(Report(rowCount: summary.rowCount, skippedRowCount: summary.skippedRowCount))
    } else {
      let skipped = summary.skippedRowCount > 0 ? ", skipped \(summary.skippedRowCount)" : ""
      try StandardOutput.line("Imported \(counted(summary.rowCount, "row"))\(skipped).")
    }
    if summary.skippedRowCount > 0 { throw ExitStatus.somethingWrong }
  }

  private func summary(
    _ secret: SecretOptions, _ waiting: WaitOptions, _ importing: ImportOptions
  ) throws -> ImportSummary {
    let input = try InputDescriptor(file)
    let store = try open(secret, waiting)
    let summary: ImportSummary
    do {
      let documents = try store.documents(collection)
      if file == "-" {
        summary = try documents.importRows(named: "The standard input", as: format, options: importing) {
          try input.read(upTo: 1 << 16, of: file)
        }
      } else {
        summary = try documents.importRows(from: file, as: format, options: importing)
      }
    } catch let error as Interrupted {
      try store.close(discarding: true)
      throw Interrupted(advice: error.advice ?? "the same command with --resume continues")
    } catch let error as ImportError where error.code == .cannotRead {
      try store.close(discarding: true)
      throw error
    } catch {
      try? store.close(discarding: true)
      throw error is ImportError ? OutputError(description: "\(printable(file)): \(error)") : error
    }
    try store.close()
    return summary
  }

  private func open(_ secret: SecretOptions, _ waiting: WaitOptions) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.access = .writeExisting
    return try secret.opening(waiting.waiting(for: store), configuration, given: try secret.given()) {
      try Store(.directory(store), classes: [], configuration: $0)
    }
  }
}
