public import SpeedTestHarness

/// All subjects: Todana first, then its peers.
public let allSubjects: [any Subject] = [
  TodanaSubject(), TodanaSubject(isEncrypted: true), RawSubject(), SQLiteSubject(), GRDBSubject(),
  GRDBCodableSubject(),
]
