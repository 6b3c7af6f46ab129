extension QueryTextReader {
  /// Reads the entire text as a condition.
  mutating func readCondition() throws(QueryTextError) -> ConditionNode {
    let condition = try alternatives()
    try finish()
    return condition
  }

  private mutating func alternatives() throws(QueryTextError) -> ConditionNode {
    var nodes = [try conjunction()]
    while take("OR") || take(.or) { nodes.append(try conjunction()) }
    return .joinAny(nodes)
  }

  private mutating func conjunction() throws(QueryTextError) -> ConditionNode {
    var nodes = [try negation()]
    while take("AND") || take(.and) { nodes.append(try negation()) }
    return .joinAll(nodes)
  }

  private mutating func negation() throws(QueryTextError) -> ConditionNode {
    var isNegated = false
    while take("NOT") || take(.not) { isNegated.toggle() }
    let node = try primary()
    return isNegated ? .not(node) : node
  }

  private mutating func primary() throws(QueryTextError) -> ConditionNode {
    let token = next
    if take(.leftParenthesis) {
      guard depth < Self.depthLimit else {
        throw error(.tooDeep, "Parentheses are nested more than \(Self.depthLimit) levels deep.", at: token)
      }
      depth += 1
      let node = try alternatives()
      depth -= 1
      guard take(.rightParenthesis) else { throw expected("AND, OR or a closing parenthesis") }
      return node
    }
    if take("TRUE") { return .always }
    if take("FALSE") { return .never }
    guard isField(token) else { throw expected("a condition, which begins with a field") }
    return try test(of: try takeField())
  }

  // MARK: Tests

  private mutating func test(of field: NamedField) throws(QueryTextError) -> ConditionNode {
    let operation = next
    if let comparison = takeComparison() { return try compared(field, comparison, operation) }
    if take("IS") {
      let isNegated = take("NOT")
      if let word = takeTypeWord(of: field) { return try typeTest(of: field, word, operation, isNegated) }
      guard take("NULL") else { throw expected(isNegated ? "NULL" : "NULL or NOT NULL") }
      return try field.checked(by: self, operation, []) { access throws(FieldProblem) in
        try access.compared(isNegated ? .notEqual : .equal, nil, .none)
      }
    }
    let isNegated = take("NOT")
    if isDefined(field), take("EXISTS") { return try typeTest(of: field, "EXISTS", operation, isNegated) }
    guard let node = try namedTest(of: field) else {
      if isNegated { throw expected("IN, BETWEEN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES or SEARCH") }
      return try field.checked(by: self, field.token, []) { access throws(FieldProblem) in try access.isTrue() }
    }
    return isNegated ? .not(node) : node
  }

  /// Takes the word after `IS` that names a type of a field that the program defines.
  private mutating func takeTypeWord(of field: NamedField) -> String? {
    guard isDefined(field), case .word(let word) = next.kind, !isKeyword("NULL", next) else { return nil }
    take()
    return word.uppercased()
  }

  private func isDefined(_ field: NamedField) -> Bool {
    if case .bracketed = field.token.kind { return true }
    return false
  }

  private func typeTest(
    of field: NamedField, _ word: String, _ operation: QueryToken, _ isNegated: Bool
  ) throws(QueryTextError) -> ConditionNode {
    let node = try field.checked(by: self, operation, []) { access throws(FieldProblem) in try access.isOfType(word) }
    return isNegated ? .not(node) : node
  }

  private mutating func takeComparison() -> Comparison? {
    guard case .symbol(let symbol) = next.kind else { return nil }
    let comparison: Comparison
    switch symbol {
    case .equal: comparison = .equal
    case .notEqual: comparison = .notEqual
    case .less: comparison = .less
    case .lessOrEqual: comparison = .lessOrEqual
    case .greater: comparison = .greater
    case .greaterOrEqual: comparison = .greaterOrEqual
    default: return nil
    }
    take()
    return comparison
  }

  private mutating func compared(
    _ field: NamedField, _ comparison: Comparison, _ operation: QueryToken
  ) throws(QueryTextError) -> ConditionNode {
    let folding = takeFold()
    let place = next
    if isField(place), folding == .none {
      let other = try takeField()
      return try field.checked(by: self, operation, [place]) { access throws(FieldProblem) in
        try access.compared(comparison, with: other.access)
      }
    }
    let value = try takeValue()
    return try field.checked(by: self, operation, [place]) { access throws(FieldProblem) in
      try access.compared(comparison, value, folding)
    }
  }

  /// Reads a test that begins with a keyword; returns nil if there is none.
  private mutating func namedTest(of field: NamedField) throws(QueryTextError) -> ConditionNode? {
    let operation = next
    for textOperation in TextOperation.all where take(textOperation.keyword) {
      let folding = takeFold()
      let place = next
      let value = try takeValue()
      return try field.checked(by: self, operation, [place]) { access throws(FieldProblem) in
        try access.matching(textOperation, value, folding)
      }
    }
    if take("IN") { return try membership(of: field, operation) }
    guard take("BETWEEN") else { return nil }
    let folding = takeFold()
    let lowerPlace = next
    let lower = try takeValue()
    guard take("AND") || take(.and) else { throw expected("AND and the last value") }
    let upperPlace = next
    let upper = try takeValue()
    return try field.checked(by: self, operation, [lowerPlace, upperPlace]) { access throws(FieldProblem) in
      try access.isBetween(lower, upper, folding)
    }
  }

  private mutating func membership(
    of field: NamedField, _ operation: QueryToken
  ) throws(QueryTextError) -> ConditionNode {
    let folding = takeFold()
    var places = [next]
    var values: [Any?] = []
    if take(.leftParenthesis) {
      places = []
      if next.kind != .symbol(.rightParenthesis) {
        repeat {
          places.append(next)
          values.append(try takeValue())
        } while take(.comma)
      }
      guard take(.rightParenthesis) else { throw expected("a comma or a closing parenthesis") }
    } else {
      guard next.kind == .argument else { throw expected("a question mark, or values in parentheses") }
      guard let list = try takeValue().flatMap({ elements(of: $0) }) else {
        throw error(.typeMismatch, "IN needs an argument that is an array or a set.", at: places[0])
      }
      values = list
    }
    return try field.checked(by: self, operation, places) { access throws(FieldProblem) in
      try access.isIn(values, folding)
    }
  }
}

extension NamedField {
  /// Carries out an operation on the field, and adds the place in the text to its error.
  ///
  /// `operation` is the place of the operator, and `places` are those of the values. A list that is one argument has
  /// one place.
  func checked<Result>(
    by reader: QueryTextReader, _ operation: QueryToken, _ places: [QueryToken],
    _ body: (any FieldAccess) throws(FieldProblem) -> Result
  ) throws(QueryTextError) -> Result {
    do throws(FieldProblem) {
      return try body(access)
    } catch {
      var token = operation
      var element = ""
      if case .value(let number) = error.place, let last = places.last {
        token = number < places.count ? places[number] : last
        if number >= places.count { element = " (number \(number + 1) of the list)" }
      }
      throw reader.error(.typeMismatch, "The field \"\(name)\": \(error.message)\(element).", at: token)
    }
  }
}
