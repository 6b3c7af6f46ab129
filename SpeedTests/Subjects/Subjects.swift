public import SpeedTestHarness

/// Everything that is measured: Todana first, then its peers.
public let allSubjects: [any Subject] = ours + [RawSubject(), GRDBSubject(), GRDBCodableSubject()]

#if TODANA_STORE
  private let ours: [any Subject] = [TodanaSubject()]
#else
  private let ours: [any Subject] = []
#endif
