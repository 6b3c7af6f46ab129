extension QueryTextReader {
  /// Reads the entire text as sort keys: fields, each with an optional `[c]` and `ASC` or `DESC`.
  mutating func readSortKeys() throws(QueryTextError) -> [SortKey] {
    var keys: [SortKey] = []
    repeat {
      let field = try takeField()
      let foldToken = next
      let folding = takeFold()
      let isDescending = take("DESC")
      if !isDescending { _ = take("ASC") }
      let place = folding == .none ? field.token : foldToken
      let key = try field.checked(by: self, place, []) { access throws(FieldProblem) in
        try access.sortKey(isDescending ? .descending : .ascending, folding)
      }
      // A field that occurred before no longer affects the order.
      if !keys.contains(where: { $0.path == key.path }) { keys.append(key) }
    } while take(.comma)
    try finish()
    return keys
  }
}
