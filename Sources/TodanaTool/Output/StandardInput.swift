import ArgumentParser

/// The standard input, which only one part of a command line can have.
enum StandardInput {
  /// Checks that at most one part of a command line reads the standard input.
  ///
  /// - Parameter uses: The uses that it would have, such as "the passphrase"; nil for parts that do not read it.
  /// - Throws: `ValidationError` if there are two.
  static func check(_ uses: [String?]) throws(ValidationError) {
    let uses = uses.compactMap(\.self)
    if uses.count > 1 {
      throw ValidationError("The standard input cannot be both \(uses[0]) and \(uses[1]).")
    }
  }
}
