/// What a fetch does about a record that cannot be read.
public struct DamagePolicy {
  let report: ((StoreError) -> Void)?

  /// The fetch throws.
  public static var fail: DamagePolicy { DamagePolicy(report: nil) }

  /// The fetch goes on, and tells of each record that it leaves out: ``StoreError`` with class, row and cause.
  public static func report(_ body: @escaping (StoreError) -> Void) -> DamagePolicy { DamagePolicy(report: body) }

  /// Throws the error, or reports it.
  func handle(_ error: StoreError) throws(StoreError) {
    guard let report else { throw error }
    report(error)
  }
}
