// Answers that break the contract of backends: an error instead of a trap.
extension BackendError {
  /// - Parameter answer: The wrong answer, as the object of "The backend gave …".
  init(wrongAnswer answer: String) {
    self.init(.damaged, "The backend gave \(answer), which breaks its contract.")
  }
}

extension Int {
  /// Returns the count of a backend, if it can be one.
  func requiringCount() throws(BackendError) -> Int {
    guard self >= 0 else { throw BackendError(wrongAnswer: "a negative count") }
    return self
  }
}
