/// The texts of one object that a condition searches.
enum TextList {
  case none
  case one(String)
  case many([String])

  func append(to texts: inout [String]) {
    switch self {
    case .none: break
    case .one(let text): texts.append(text)
    case .many(let more): texts += more
    }
  }

  func allSatisfy(_ body: (String) -> Bool) -> Bool {
    switch self {
    case .none: true
    case .one(let text): body(text)
    case .many(let texts): texts.allSatisfy(body)
    }
  }
}
