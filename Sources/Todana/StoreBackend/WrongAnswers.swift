// Answers that violate the contract of backends. They result in an error instead of a trap.
extension BackendError {
  /// Creates the error for an answer that violates the contract of backends.
  ///
  /// - Parameter answer: The wrong answer, as the object of "The backend returned …".
  init(wrongAnswer answer: String) {
    self.init(.damaged, "The backend returned \(answer), which violates its contract.")
  }
}

extension Int {
  /// Returns the number, which a backend gave as a count; throws if it is negative.
  func requiringCount() throws(BackendError) -> Int {
    guard self >= 0 else { throw BackendError(wrongAnswer: "a negative count") }
    return self
  }
}

extension RecordChunk {
  /// Checks that a backend gave at most as many records as rows were requested.
  func requireAtMost(_ rowCount: Int) throws(BackendError) {
    guard slices.count <= rowCount else { throw BackendError(wrongAnswer: "more records than requested") }
  }
}
