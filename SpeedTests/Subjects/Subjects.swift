public import SpeedTestHarness

/// Everything that is measured: Todana first, then its peers.
public let allSubjects: [any Subject] = [
  TodanaSubject(), TodanaSubject(isEncrypted: true), RawSubject(), SQLiteSubject(), GRDBSubject(),
  GRDBCodableSubject(),
]
