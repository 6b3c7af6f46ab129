import ArgumentParser
import Todana

/// `todana store salvage`.
struct SalvageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Reads what can be read of a damaged store into a new one.",
    discussion: """
      Nothing of the old store is changed. Restore a backup instead if there is one that is whole. What is made of an \
      encrypted store is encrypted with the same passphrase or key.
      """,
    version: TodanaTool.configuration.version)

  @Argument(help: "The directory of the damaged store.") var store: String
  @Argument(help: "Where the new store is made; nothing may be there.") var newStore: String
  @OptionGroup var secret: SecretOptions
  @Flag(help: "Print the report as JSON.") var json = false
  @Flag(help: "Show no progress.") var quiet = false

  func run() throws {
    var line = ProgressLine(isShown: !quiet)
    let report = try Store.salvage(from: store, to: newStore, encryption: try secret.encryption()) {
      line.show("salvaging", $0.doneByteCount, $0.byteCount)
    }
    line.clear()
    if json { try printJSON(report) } else { show(report) }
    if !report.isComplete { throw ExitStatus.somethingWrong }
  }

  private func show(_ report: SalvageReport) {
    for loss in report.losses { print(loss) }
    for structure in report.structures {
      print("\(structure.name): \(counted(structure.savedCount, "record")) saved" + losses(of: structure))
    }
    if report.isComplete {
      print("Nothing was lost.")
    } else if report.lostCount > 0 {
      print("Known to be lost: \(counted(report.lostCount, "record")).")
    } else {
      print("Something was lost, or may have been; how many records cannot be told.")
    }
  }

  private func losses(of structure: SalvageReport.Structure) -> String {
    var parts: [String] = []
    if structure.lostCount > 0 { parts.append("\(structure.lostCount) lost") }
    if !structure.lostRowIDs.isEmpty {
      let rows = structure.lostRowIDs.prefix(10).map { "\($0)" }.joined(separator: ", ")
      parts.append("rows that may be lost: \(rows)" + (structure.lostRowIDs.count > 10 ? ", …" : ""))
    }
    if structure.unreadableByteCount > 0 {
      parts.append("nothing was found in \(counted(structure.unreadableByteCount, "byte"))")
    }
    if !structure.isNameKnown { parts.append("its name is that of its file") }
    if structure.savedCount > 0, !structure.isNumberKept {
      parts.append("its number is another, so that references to it lead nowhere")
    }
    return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ")
  }
}
