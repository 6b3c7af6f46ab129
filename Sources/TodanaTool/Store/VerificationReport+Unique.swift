import Todana

extension VerificationReport {
  /// The problems without repetitions: a missing file is found once as a file, and once by reading its records.
  var uniqueProblems: [Problem] {
    var seen: Set<String> = []
    return problems.filter { seen.insert("\($0.kind) \($0)").inserted }
  }

  /// The number of problems without the repetitions among ``problems``.
  var uniqueProblemCount: Int { problemCount - problems.count + uniqueProblems.count }

  /// The number of problems that are damage, without the repetitions among ``problems``.
  var uniqueDamageCount: Int {
    damageCount - problems.count(where: \.kind.isDamage) + uniqueProblems.count(where: \.kind.isDamage)
  }
}
