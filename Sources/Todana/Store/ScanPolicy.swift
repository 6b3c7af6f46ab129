/// What becomes of queries that have to look at all objects of a class, because no index serves them.
public enum ScanPolicy: Sendable {
  /// They do so. The default.
  case allowed
  /// They do so, and the configuration's logger hears of those over more objects than this, with the plan.
  case logged(above: Int)
  /// They throw ``StoreError/Code/scanRefused`` where there are more objects than this.
  case refused(above: Int)
}
