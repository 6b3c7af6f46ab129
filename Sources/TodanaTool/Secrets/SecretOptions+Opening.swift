import Todana

extension SecretOptions {
  /// Opens something, asking for its passphrase only where it turns out to be encrypted.
  ///
  /// - Parameters:
  ///   - waiting: What is opened, and how long to wait while another process has it open.
  ///   - configuration: What it is opened with, but for the encryption.
  ///   - given: What an option says, read once.
  ///   - open: Opens it.
  /// - Returns: What `open` returns.
  /// - Throws: ``CannotOpen``; what `open` throws otherwise.
  func opening<Result>(
    _ waiting: Waiting, _ configuration: StoreConfiguration, given: StoreSecret?,
    _ open: (StoreConfiguration) throws -> Result
  ) throws -> Result {
    var configuration = configuration
    configuration.backendOptions.programName = "todana"
    func opened(by secret: StoreSecret?) throws -> Result {
      configuration.encryption = secret.map { secret in .callback { secret } } ?? .none
      do {
        return try waiting.whileInUse { try open(configuration) }
      } catch let error as StoreError {
        // Such as a damaged catalog, which for other commands is no matter of opening.
        throw CannotOpen(error)
      }
    }
    do {
      return try opened(by: given)
    } catch let error as CannotOpen {
      guard error.storeError?.code == .keyRequired, given == nil, let asked = try asked(for: waiting.name) else {
        throw error
      }
      return try opened(by: asked)
    }
  }
}
