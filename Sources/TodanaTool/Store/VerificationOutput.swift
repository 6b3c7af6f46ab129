import Todana

/// The JSON report of `todana store verify`.
struct VerificationOutput: Encodable {
  let isSound: Bool
  let commitNumber: CommitNumber
  let pageCount: Int
  let recordCount: Int
  let namedBufferCount: Int
  let indexEntryCount: Int
  let byteCount: Int
  let problemCount: Int
  let damageCount: Int
  let problems: [Problem]
  /// The next step for the user; nil if there are no problems.
  let advice: String?

  struct Problem: Encodable {
    let kind: VerificationReport.Kind
    let file: String?
    let page: Int?
    let `class`: String?
    let row: RowID?
    let message: String
  }

  init(_ report: VerificationReport, advice: String?) {
    (isSound, commitNumber) = (report.problemCount == 0, report.commitNumber)
    (pageCount, byteCount) = (report.pageCount, report.byteCount)
    (recordCount, namedBufferCount) = (report.recordCount, report.namedBufferCount)
    indexEntryCount = report.indexEntryCount
    (problemCount, damageCount) = (report.uniqueProblemCount, report.uniqueDamageCount)
    problems = report.uniqueProblems.map { problem in
      Problem(
        kind: problem.kind, file: problem.file, page: problem.page, class: problem.className, row: problem.rowID,
        message: problem.message)
    }
    self.advice = advice
  }
}
