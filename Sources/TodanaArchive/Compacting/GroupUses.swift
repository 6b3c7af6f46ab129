internal import Todana

/// How much of each group of small files is in use.
struct GroupUses {
  struct Use {
    var byteCount = 0
    var fileCount = 0
  }

  private var uses: [RowID: Use] = [:]

  subscript(group: RowID) -> Use? { uses[group] }

  mutating func add(_ byteCount: Int, to group: RowID) {
    uses[group, default: Use()].byteCount += byteCount
    uses[group, default: Use()].fileCount += 1
  }
}
